package main

import (
	"fmt"
	"sort"
	"time"

	"github.com/robfig/cron/v3"
)

// Implements the rule by brute force: an instant fires if and only if its local time matches the fields. The program
// converts every minute to local time, so gaps, overlaps and skipped days need no special code.

const (
	secondsPerDay = 24 * 60 * 60
	starBit       = 1 << 63
	// A search covers this number of years after the year of its first second.
	horizonYears = 5
)

// date contains the values that the day fields match.
type date struct {
	year            int
	dom, month, dow uint
}

// dates contains each day of the tables, and some days before and after them for the offsets.
var (
	firstDay = tableBegin/secondsPerDay - 2
	dates    = datesOf(firstDay, tableEnd/secondsPerDay+2)
)

func datesOf(first, last int64) []date {
	var all []date
	for day := first; day <= last; day++ {
		at := time.Unix(day*secondsPerDay, 0).UTC()
		all = append(all, date{at.Year(), uint(at.Day()), uint(at.Month()), uint(at.Weekday())})
	}
	return all
}

// byRule returns the next firings after start. It returns fewer than count firings if the horizon ends first.
func byRule(fields *cron.SpecSchedule, z *zone, start int64, count int) []int64 {
	var firings []int64
	for len(firings) < count {
		firing, ok := nextByRule(fields, z, start)
		if !ok {
			break
		}
		firings = append(firings, firing)
		start = firing
	}
	return firings
}

func nextByRule(fields *cron.SpecSchedule, z *zone, start int64) (int64, bool) {
	i := sort.Search(len(z.stretches), func(i int) bool { return z.stretches[i].end > start+1 })
	lastYear := dateOf(start+1+z.stretches[i].offset).year + horizonYears
	for at := start - start%60 + 60; ; at += 60 {
		for at >= z.stretches[i].end {
			i++
			if z.stretches[i].offset%60 != 0 {
				panic(fmt.Sprintf("%s: a minute would not begin on a minute", z.name))
			}
		}
		local := at + z.stretches[i].offset
		day := dateOf(local)
		if day.year > lastYear {
			return 0, false
		}
		minute := local % secondsPerDay / 60
		if fields.Minute&(1<<(minute%60)) != 0 && fields.Hour&(1<<(minute/60)) != 0 && day.matches(fields) {
			return at, true
		}
	}
}

func dateOf(local int64) *date { return &dates[local/secondsPerDay-firstDay] }

// matches implements the rule of robfig/cron v3: if one of the day fields contains a star, both must match, otherwise
// one is enough.
func (d *date) matches(fields *cron.SpecSchedule) bool {
	if fields.Month&(1<<d.month) == 0 {
		return false
	}
	dom := fields.Dom&(1<<d.dom) != 0
	dow := fields.Dow&(1<<d.dow) != 0
	if fields.Dom&starBit != 0 || fields.Dow&starBit != 0 {
		return dom && dow
	}
	return dom || dow
}
