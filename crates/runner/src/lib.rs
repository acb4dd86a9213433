//! Order, warm-up, repetition and when to stop; drives any world; saves after every sample.
