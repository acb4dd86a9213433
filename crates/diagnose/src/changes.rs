//! What would change a prediction.
