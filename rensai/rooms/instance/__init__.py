"""Instance: what the operator says about this place, and what it tells about itself.

Owns the table `instance_config`. Every page shows its name, so reads are kept for 30 seconds.
"""
