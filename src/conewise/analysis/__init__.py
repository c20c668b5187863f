"""What existing measurements certify, in numbers and in sentences."""
