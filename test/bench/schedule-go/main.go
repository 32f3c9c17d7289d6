// Measures github.com/robfig/cron/v3 for test/bench/schedule.ts, one round a line: it reads
//
//	{"schedule": "*/5 * * * *", "timeZone": "UTC", "startsMs": [...], "minMs": 20}
//
// and answers {"nextNs": ..., "parseNs": ..., "sumSeconds": ...}, the last so that both sides can see they found the same.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

type round struct {
	Schedule string  `json:"schedule"`
	TimeZone string  `json:"timeZone"`
	StartsMs []int64 `json:"startsMs"`
	MinMs    int64   `json:"minMs"`
}

type result struct {
	NextNs     float64 `json:"nextNs"`
	ParseNs    float64 `json:"parseNs"`
	SumSeconds int64   `json:"sumSeconds"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		measured, err := measure(lines.Bytes())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := json.NewEncoder(os.Stdout).Encode(measured); err != nil {
			os.Exit(1)
		}
	}
}

func measure(line []byte) (result, error) {
	var asked round
	if err := json.Unmarshal(line, &asked); err != nil {
		return result{}, fmt.Errorf("read a round: %w", err)
	}
	// As Kubernetes hands it over.
	text := "TZ=" + asked.TimeZone + " " + asked.Schedule
	schedule, err := cron.ParseStandard(text)
	if err != nil {
		return result{}, fmt.Errorf("parse %q: %w", text, err)
	}
	starts := make([]time.Time, len(asked.StartsMs))
	for i, ms := range asked.StartsMs {
		starts[i] = time.UnixMilli(ms)
	}
	least := time.Duration(asked.MinMs) * time.Millisecond
	var sum int64
	nextNs := perOperation(least, len(starts), func() {
		sum = 0
		for _, start := range starts {
			sum += schedule.Next(start).Unix()
		}
	})
	parseNs := perOperation(least, 100, func() {
		for range 100 {
			_, _ = cron.ParseStandard(text)
		}
	})
	return result{NextNs: nextNs, ParseNs: parseNs, SumSeconds: sum}, nil
}

// perOperation repeats work, which is so many operations, until it has taken least.
func perOperation(least time.Duration, operations int, work func()) float64 {
	work()
	began := time.Now()
	count := 0
	for time.Since(began) < least {
		work()
		count += operations
	}
	return float64(time.Since(began).Nanoseconds()) / float64(count)
}
