"""Non-interference over the real doors: worlds a viewer can't tell apart give it equal bytes."""
