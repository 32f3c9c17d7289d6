package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/robfig/cron/v3"
)

const (
	instantsPerRow    = 4
	rowsPerTransition = 11
	rowsAnywhere      = 150 // for each dense zone
	rowsElsewhere     = 12  // for each other zone, all in the same weeks
	randomTexts       = 1200
)

// The range of years of the starts.
var (
	firstStart = time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	lastStart  = time.Date(2035, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
)

// dense lists the zones with rows at every clock change. Their clock changes have different rules, sizes and times of
// day.
var dense = []string{
	"Africa/Cairo", "Africa/Casablanca", "Africa/El_Aaiun", "Africa/Juba", "Africa/Tripoli", "America/Argentina/Buenos_Aires", "America/Asuncion",
	"America/Caracas", "America/Havana", "America/Los_Angeles", "America/Mexico_City", "America/Miquelon", "America/New_York", "America/Nuuk",
	"America/Port-au-Prince", "America/Santiago", "America/Sao_Paulo", "America/Scoresbysund", "America/St_Johns", "Antarctica/Casey", "Antarctica/Troll",
	"Asia/Amman", "Asia/Beirut", "Asia/Gaza", "Asia/Jerusalem", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Pyongyang", "Asia/Tehran", "Asia/Vladivostok",
	"Atlantic/Azores", "Australia/Adelaide", "Australia/Eucla", "Australia/Lord_Howe", "Australia/Sydney", "Etc/GMT+12", "Etc/GMT-14", "Europe/Berlin", "Europe/Dublin",
	"Europe/Istanbul", "Europe/London", "Europe/Moscow", "Europe/Volgograd", "Pacific/Apia", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Easter", "Pacific/Fiji",
	"Pacific/Kiritimati", "Pacific/Norfolk", "Pacific/Tongatapu", "UTC",
}

type row struct {
	zone  *zone
	text  string
	start int64
}

func randomInstant(random *rand.Rand) int64 {
	return firstStart + random.Int64N(lastStart-firstStart+1)
}

func writeInstants(path, faultsPath string, about header, zones []*zone) {
	rows := instantRows(zones)
	fmt.Printf("instants: asking robfig and the rule about %d rows …\n", len(rows))
	answers := make([]robfigAnswer, len(rows))
	rules := make([][]int64, len(rows))
	jobs := make(chan int)
	var group sync.WaitGroup
	for range runtime.NumCPU() {
		group.Go(func() {
			var child robfig
			defer child.stop()
			for i := range jobs {
				r := rows[i]
				answers[i] = child.next(question{r.text, r.zone.name, r.start, instantsPerRow})
				rules[i] = byRule(fieldsOf(r.text), r.zone, r.start, instantsPerRow)
			}
		})
	}
	for i := range rows {
		jobs <- i
	}
	close(jobs)
	group.Wait()
	writeRows(path, faultsPath, about, rows, answers, rules)
}

func fieldsOf(text string) *cron.SpecSchedule {
	schedule, err := parse(text)
	check(err)
	return schedule.(*cron.SpecSchedule)
}

// instantRows selects rows without duplicates, sorted by zone, start and text.
func instantRows(zones []*zone) []row {
	random := rand.New(rand.NewPCG(seed, 3))
	pool := slices.Clone(chosen)
	for range randomTexts {
		pool = append(pool, randomText(random))
	}
	choose := func() string {
		if random.IntN(3) == 0 {
			return pool[random.IntN(len(pool))]
		}
		return chosen[random.IntN(len(chosen))]
	}
	seen := map[row]bool{}
	var rows []row
	add := func(z *zone, text string, start int64) {
		r := row{z, text, min(max(start, firstStart), lastStart)}
		if !seen[r] {
			seen[r] = true
			rows = append(rows, r)
		}
	}
	for _, z := range zones {
		changes := within(z.transitions(), firstStart, lastStart)
		anywhere := rowsElsewhere
		if slices.Contains(dense, z.name) {
			anywhere = rowsAnywhere
			for _, text := range chosen {
				add(z, text, randomInstant(random))
			}
			for _, change := range changes {
				for range rowsPerTransition {
					text := textAt(random, z, change, choose)
					add(z, text, startAt(random, z, change, text))
				}
			}
		}
		begin, end := firstStart, lastStart
		if anywhere == rowsElsewhere {
			begin, end = seasonOf(random, changes)
			changes = within(changes, begin, end)
		}
		for i := 0; i < anywhere; i++ {
			text, start := choose(), begin+random.Int64N(end-begin+1)
			if len(changes) > 0 && i%2 == 0 {
				change := changes[random.IntN(len(changes))]
				text = textAt(random, z, change, choose)
				start = startAt(random, z, change, text)
			} else if i%4 == 1 {
				start = besideFiring(random, z, text, start)
			}
			if anywhere == rowsElsewhere && !firesSoon(z, text, start) {
				i-- // a reader of the row would need the offsets of the zone for many years
				continue
			}
			add(z, text, start)
		}
	}
	addHorizons(random, zones, add)
	return rows
}

func within(changes []stretch, begin, end int64) []stretch {
	return slices.DeleteFunc(slices.Clone(changes), func(s stretch) bool { return s.begin < begin || s.begin > end })
}

// seasonOf selects some weeks, around a clock change if the zone has any.
func seasonOf(random *rand.Rand, changes []stretch) (begin, end int64) {
	at := randomInstant(random)
	if len(changes) > 0 {
		at = changes[random.IntN(len(changes))].begin
	}
	return max(firstStart, at-30*secondsPerDay), min(lastStart, at+30*secondsPerDay)
}

// firesSoon returns whether all firings of a row are within some weeks after the start.
func firesSoon(z *zone, text string, start int64) bool {
	firings := byRule(fieldsOf(text), z, start, instantsPerRow)
	return len(firings) == instantsPerRow && firings[instantsPerRow-1] < start+90*secondsPerDay
}

// textAt returns a schedule, which often fires at local times around the clock change.
func textAt(random *rand.Rand, z *zone, change stretch, choose func() string) string {
	if random.IntN(5) < 2 {
		return choose()
	}
	before := change.begin - 1 + offsetBefore(z, change)
	after := change.begin + change.offset
	low, high := min(before+1, after), max(before+1, after)
	moments := []int64{low, low - 60, low + 60, high, high - 60, high + 60, (low + high) / 2, low - 3600, high + 3600, low + random.Int64N(high-low+1), high + 43200}
	local := time.Unix(moments[random.IntN(len(moments))], 0).UTC()
	hourAndMinute := fmt.Sprintf("%d %d", local.Minute(), local.Hour())
	switch random.IntN(9) {
	case 0:
		return fmt.Sprintf("%s %d * *", hourAndMinute, local.Day())
	case 1:
		return fmt.Sprintf("%s %d %d *", hourAndMinute, local.Day(), local.Month())
	case 2:
		return fmt.Sprintf("%s * * %d", hourAndMinute, local.Weekday())
	case 3:
		return fmt.Sprintf("*/%d %d * * *", []int{1, 5, 15, 20, 30, 45}[random.IntN(6)], local.Hour())
	case 4:
		return fmt.Sprintf("%d * %d %d *", local.Minute(), local.Day(), local.Month())
	case 5:
		return fmt.Sprintf("%s %d %d %d", hourAndMinute, 1+random.IntN(28), local.Month(), local.Weekday())
	}
	return hourAndMinute + " * * *"
}

func offsetBefore(z *zone, change stretch) int64 {
	i := sort.Search(len(z.stretches), func(i int) bool { return z.stretches[i].begin >= change.begin })
	return z.stretches[i-1].offset
}

// startAt returns a start around the clock change, often within a second of the change.
func startAt(random *rand.Rand, z *zone, change stretch, text string) int64 {
	gap := change.offset - offsetBefore(z, change)
	near := []int64{
		-1, 0, 1, -60, 60, -3600, 3600, -7200, gap, -gap, gap - 1, -gap - 1,
		-secondsPerDay, secondsPerDay, -secondsPerDay - 1, -2 * secondsPerDay, random.Int64N(4*secondsPerDay) - 2*secondsPerDay,
		-random.Int64N(40 * secondsPerDay), -random.Int64N(2 * 3600), random.Int64N(2 * 3600), random.Int64N(30 * secondsPerDay),
	}
	start := change.begin + near[random.IntN(len(near))]
	if random.IntN(4) == 0 {
		return besideFiring(random, z, text, start)
	}
	return start
}

// besideFiring moves the start to a later firing: to its second, to the second before, or to a second of the same
// minute.
func besideFiring(random *rand.Rand, z *zone, text string, start int64) int64 {
	firings := byRule(fieldsOf(text), z, start, 2)
	if len(firings) == 0 {
		return start
	}
	return firings[random.IntN(len(firings))] + []int64{-1, 0, 0, 1, 30, 59, -60}[random.IntN(7)]
}

// addHorizons adds rows with a start around New Year, because a search ends at the end of a year.
func addHorizons(random *rand.Rand, zones []*zone, add func(*zone, string, int64)) {
	texts := []string{"0 0 29 2 *", "59 23 31 12 *", "0 0 1 1 *", "0 0 29 2 0", "0 0 29 2 1", "0 0 31 2 *", "30 12 29 2 */6", "0 0 29 2 3", "59 23 29 2 *"}
	for _, z := range zones {
		if !slices.Contains(dense, z.name) {
			continue
		}
		for _, text := range texts {
			year := 2010 + random.IntN(26)
			local := time.Date(year, 1, 1, 0, 0, 0, 0, z.location).Unix()
			add(z, text, local+[]int64{-2, -1, 0, 1}[random.IntN(4)])
		}
	}
}
