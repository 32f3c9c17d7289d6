package main

import (
	"fmt"
	"slices"
	"sort"
	"time"
)

// zoneRows is a line of instants.jsonl.gz: the rows of one zone.
type zoneRows struct {
	Zone string `json:"zone"`
	// Rows contain the index of the text, the seconds since the start of the previous row, and the seconds from each
	// firing to the next. With fewer than four firings, the schedule never fires again.
	Rows [][]int64 `json:"rows"`
}

// fault is a line of faults.jsonl.gz.
type fault struct {
	Zone  string  `json:"zone"`
	Text  string  `json:"text"`
	Start int64   `json:"start"`
	Rule  []int64 `json:"rule"`
	// The firings of robfig/cron, and whether its search hangs after them.
	Robfig []int64 `json:"robfig"`
	Hangs  bool    `json:"hangs,omitempty"`
}

func writeRows(path, faultsPath string, about header, rows []row, answers []robfigAnswer, rules [][]int64) {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		i, j := rows[order[a]], rows[order[b]]
		if i.zone != j.zone {
			return i.zone.name < j.zone.name
		}
		return i.start < j.start
	})
	var texts []string
	indexes := map[string]int64{}
	var lines, faults []any
	var current *zoneRows
	var last int64
	written := 0
	for _, i := range order {
		r := rows[i]
		if answers[i].hangs || !slices.Equal(answers[i].firings, rules[i]) {
			faults = append(faults, fault{r.zone.name, r.text, r.start, full(rules[i]), full(answers[i].firings), answers[i].hangs})
			continue
		}
		if current == nil || current.Zone != r.zone.name {
			current = &zoneRows{Zone: r.zone.name}
			lines = append(lines, current)
			last = 0
		}
		if _, known := indexes[r.text]; !known {
			indexes[r.text] = int64(len(texts))
			texts = append(texts, r.text)
		}
		current.Rows = append(current.Rows, packed(indexes[r.text], r.start-last, r.start, rules[i]))
		last = r.start
		written++
	}
	about.About = "the texts; then for each zone rows of text, start, and the next four firings, where robfig and the rule agree"
	writeLines(path, about, append([]any{texts}, lines...))
	about.About = "rows where robfig breaks the rule that an instant fires when its local time matches"
	writeLines(faultsPath, about, faults)
	fmt.Printf("instants: %d rows of %d zones, %d texts; robfig breaks the rule in %d more\n", written, len(lines), len(texts), len(faults))
	tellFaults(faults)
}

func packed(text, sinceLast, start int64, firings []int64) []int64 {
	numbers := []int64{text, sinceLast}
	for _, firing := range firings {
		numbers = append(numbers, firing-start)
		start = firing
	}
	return numbers
}

// full returns an empty slice instead of nil, because JSON encodes nil as null.
func full(firings []int64) []int64 { return append([]int64{}, firings...) }

// tellFaults prints the number of faults by kind, zone and year of the first wrong firing.
func tellFaults(faults []any) {
	counts := map[string]int{}
	for _, line := range faults {
		f := line.(fault)
		at := 0
		for at < len(f.Rule) && at < len(f.Robfig) && f.Rule[at] == f.Robfig[at] {
			at++
		}
		kind, instant := "gives up where the rule finds", f.Start
		switch {
		case f.Hangs:
			kind = "hangs"
		case at == len(f.Rule):
			kind, instant = "fires where the rule does not", f.Robfig[at]
		case at < len(f.Robfig) && f.Robfig[at] < f.Rule[at]:
			kind, instant = "fires where the rule does not", f.Robfig[at]
		case at < len(f.Robfig):
			kind, instant = "misses a firing", f.Rule[at]
		}
		counts[fmt.Sprintf("%s: %s, %d", kind, f.Zone, time.Unix(instant, 0).UTC().Year())]++
	}
	var kinds []string
	for kind := range counts {
		kinds = append(kinds, kind)
	}
	sort.Strings(kinds)
	for _, kind := range kinds {
		fmt.Printf("  %4d %s\n", counts[kind], kind)
	}
}
