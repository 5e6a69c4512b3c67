"""What people say of answers that a judge scored by a rubric, and how far the two agree."""
