# Sums up the golden file of the depth curves: of each pair of columns (mean and largest error of a curve), the
# smallest and the largest mean, and the largest error of all.
BEGIN { split("rate,median latency,99th percentile,rate at a depth left out", names, ",") }
NR > 2 {
    count++
    for (i = 1; i <= 4; i++) {
        mean = $(1 + 2 * i); most = $(2 + 2 * i)
        if (count == 1 || mean < low[i]) low[i] = mean
        if (mean > high[i]) high[i] = mean
        if (most > largest[i]) largest[i] = most
    }
}
END {
    printf "| error of %d curves | mean of a curve | at most |\n|---|--:|--:|\n", count
    for (i = 1; i <= 4; i++) printf "| %s | %.1f to %.1f %% | %.0f %% |\n", names[i], low[i], high[i], largest[i]
}
