"""What analysts see: the blueprint, its pages and their charts."""
