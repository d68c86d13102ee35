"""From a question to an answer, under one caller's scope.

Names are imported from the module they live in: whoever needs a reader needs no option spec.
"""
