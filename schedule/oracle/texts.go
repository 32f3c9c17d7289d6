package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// chosen contains schedules with every rule of the syntax.
var chosen = []string{
	// Plain values, steps and ranges.
	"* * * * *", "*/5 * * * *", "*/45 * * * *", "*/7 */5 * * *", "7/13 * * * *", "10-40/9 * * * *", "0 0 * * *",
	"30 2 * * *", "30 1 * * *", "0 2 * * *", "0 3 * * *", "59 23 * * *", "0 2-3 * * *", "15,45 0-4 * * *", "0 */6 * * *",
	"0 5/7 * * *", "0 0/24 * * *", "59 23 31 12 *", "0 0 1 1 *", "0 0 1 */3 *", "0 0 31 * *", "30 6 1,15 * 1-5", "0 12 15 * *",
	"0 0 28-31 * *", "0 9 * * 1-5", "0 9 * * 6", "0 9 */10 * *", "5 4 3 2/2 *", "0 0 2-30/7 * *", "59/1 23/1 * * *",
	"*/60 * * * *", "*/1000 */1000 * * *", "0 0 */31 * *", "0 0 */32 * *", "0 0 * */12 *", "0 0 * * */6", "0 0 * * */7",
	// Names in any case.
	"0 0 * JAN *", "0 0 1 feb,Aug *", "0 0 1 mAr-oct/3 *", "0 0 * * SUN", "0 0 * * mon-Fri", "0 0 * * wEd/2", "0 0 * dec fri",
	"0 0 * * 0-sat", "0 0 * * Tue-6", "0 0 1 2-DEC/5 *",
	// Lists with overlapping or unsorted elements.
	"1,1,1 * * * *", "0-30,15-45 * * * *", "5,3,1-4,*/20 * * * *", "*,5 3 * * *", "0 *,3 * * *", "0 22,1-3,2 * * *",
	"0 0 1,1-3,2/10 * *", "0 0 * 1,jan,1-2 *", "0 0 * * 0,sun,6-6",
	// A question mark is a star.
	"? * * * *", "0 0 ? * *", "0 0 ? * ?", "0 0 ? * 1", "0 0 13 * ?", "0 0 ?/2 * 1", "?/10 ? ? ? ?",
	// Both day fields: either matches, unless one of them is a star.
	"0 0 13 * 5", "0 0 1,15 * 1", "0 0 */1 * 1", "0 0 */2 * 1", "0 0 13 * */1", "0 0 13 * */2", "0 0 */2 * */2",
	"0 0 *,13 * 5", "0 0 13 * *,5", "0 0 13 * 5,*", "0 0 13,*/2 * 5", "0 0 13,*/1 * 5", "0 0 1-31 * 1", "0 0 13 * 0-6",
	"0 0 1-31/1 * 1", "0 0 */2,*/1 * 1", "0 0 31 2 1", "0 0 30 2 */2", "0 0 31 4 *,5",
	// Leap days.
	"0 0 29 2 *", "30 2 29 2 *", "59 23 29 2 ?", "0 0 29 2 */1", "0 0 29 2 0", "0 0 29,31 2 *", "0 0 29 feb *,mon",
	// Schedules that never fire.
	"0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 30-31 feb ?",
	// Macros.
	"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly",
	// Unusual but valid schedules.
	"1,,2 * * * *", "+5 +3 * * *", ",7 3, * * *", "00005 004 * * *", "*/+20 1 * * *", "0 1-+3 * * *",
	"\t0\t 4\t* * * ", "0\u00a04\u2003*\u3000*\u0085*",
}

// field contains the parameters of a field in random schedules.
type field struct {
	min, max int
	names    []string
}

var fields = []field{
	{0, 59, nil},
	{0, 23, nil},
	{1, 31, nil},
	{1, 12, strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")},
	{0, 6, strings.Fields("sun mon tue wed thu fri sat")},
}

func (f field) value(random *rand.Rand) string { return f.format(random, f.pick(random)) }

func (f field) pick(random *rand.Rand) int { return f.min + random.IntN(f.max-f.min+1) }

func (f field) format(random *rand.Rand, value int) string {
	if f.names == nil || random.IntN(2) == 0 {
		return fmt.Sprint(value)
	}
	name := f.names[value-f.min]
	switch random.IntN(3) {
	case 0:
		return strings.ToUpper(name)
	case 1:
		return strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}

func (f field) item(random *rand.Rand) string {
	step := func() int { return 1 + random.IntN(min(f.max-f.min, 20)) }
	low, high := f.pick(random), f.pick(random)
	if low > high {
		low, high = high, low
	}
	span := f.format(random, low) + "-" + f.format(random, high)
	switch random.IntN(8) {
	case 0:
		return fmt.Sprintf("*/%d", step())
	case 1:
		return span
	case 2:
		return fmt.Sprintf("%s/%d", span, step())
	case 3:
		return fmt.Sprintf("%s/%d", f.value(random), step())
	}
	return f.value(random)
}

func (f field) expression(random *rand.Rand) string {
	items := []string{f.item(random)}
	for len(items) < 5 && random.IntN(4) == 0 {
		items = append(items, f.item(random))
	}
	if random.IntN(30) == 0 {
		items = append(items, "*")
	}
	return strings.Join(items, ",")
}

// randomText returns a schedule of five fields. Most day fields are stars, so that the schedule fires often enough.
func randomText(random *rand.Rand) string {
	stars := []int{5, 3, 2, 2, 2} // 1/n of the fields are stars; for the day fields, 1/n are not stars
	var parts []string
	for i, f := range fields {
		isStar := random.IntN(stars[i]) == 0
		if i >= 2 {
			isStar = !isStar || random.IntN(3) == 0
		}
		switch {
		case isStar && random.IntN(12) == 0:
			parts = append(parts, "?")
		case isStar:
			parts = append(parts, "*")
		default:
			parts = append(parts, f.expression(random))
		}
	}
	return strings.Join(parts, " ")
}
