"""The simulations themselves, one module a lab. Only these modules import numpy, and only when a lab is looked up."""
