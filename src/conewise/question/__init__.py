"""The question that a user asks: objectives, epsilon, delta, noise and success."""
