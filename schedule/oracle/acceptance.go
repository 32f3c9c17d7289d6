package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/robfig/cron/v3"
)

const (
	validRandom   = 800
	mutatedRandom = 3000
	brokenRandom  = 800
	everyRandom   = 600
)

// questionable contains expressions that users try, that other cron libraries accept, or that break parsers.
var questionable = []string{
	"", " ", "\t", "\n", "*", "* *", "* * *", "* * * *", "* * * * * *", "* * * * * * *", "0 0 0 * * *",
	// Macros and words of other cron libraries.
	"@reboot", "@secondly", "@minutely", "@weekdays", "@weekends", "@", "@every", "@DAILY", "@Daily", "@daily ", " @daily",
	"@daily x", "@daily @daily", "\t@daily", "@daily\n", "@hourly\u00a0", "@yearl", "@yearlyy", "@every_day", "@every1h", "@at 12:00",
	"0 0 L * *", "0 0 * * L", "0 0 * * 5L", "0 0 15W * *", "0 0 LW * *", "0 0 * * 5#3", "0 0 * * MON#2", "H * * * *",
	"H/15 * * * *", "H(0-29) * * * *", "0 0 1 1 * 2024", "R * * * *", "~ * * * *", "0~30 * * * *", "% * * * *", "*%2 * * * *",
	"0 0 1-L * *", "0 0 ?/ * *", "0 0 -1 * *", "0 0 * * 1-5 root", "0 0 * * * echo hi", "noon", "every day", "0 0 * * 1;", "# * * * *",
	// Limits.
	"60 * * * *", "59 * * * *", "* 24 * * *", "* 23 * * *", "* * 0 * *", "* * 32 * *", "* * 31 * *", "* * * 0 *", "* * * 13 *",
	"* * * 12 *", "* * * * 7", "* * * * 6", "0 0 * * 0-7", "0 0 * * 5-7", "0 0 * * 1-7/2", "0 0 * * 7,1", "-1 * * * *", "61 * * * *",
	"0-60 * * * *", "0-59 * * * *", "0 0-24 * * *", "* * 0-31 * *", "* * * 0-12 *", "99999999999999999999 * * * *",
	"9223372036854775807 * * * *", "9223372036854775808 * * * *", "18446744073709551616 * * * *", "4294967296 * * * *",
	"00000000000000000000000000000000000000005 * * * *", "007 * * * *", "0 0 08 09 *",
	// Steps.
	"*/0 * * * *", "*/1 * * * *", "*/59 * * * *", "*/60 * * * *", "*/61 * * * *", "*/100000 * * * *", "5/0 * * * *", "5/1 * * * *",
	"5/70 * * * *", "*/ * * * *", "/5 * * * *", "/ * * * *", "*// * * * *", "*/5/2 * * * *", "1-5/ * * * *", "1-5/0 * * * *",
	"1-5/+2 * * * *", "*/-1 * * * *", "*/-0 * * * *", "*/+0 * * * *", "*/+5 * * * *", "*/1.5 * * * *", "*/x * * * *", "*/* * * * *",
	"0 */24 * * *", "0 */25 * * *", "* * */0 * *", "* * * */13 *", "* * * * */8", "* * * * 6/9", "*/9223372036854775807 * * * *",
	"*/9223372036854775808 * * * *", "1/9223372036854775807 * * * *", "0 0 1/feb * *", "0 0 * */feb *", "0 0 * feb/jan *", "*/5, * * * *",
	// Ranges.
	"1-5 * * * *", "5-5 * * * *", "5-1 * * * *", "1- * * * *", "-5 * * * *", "- * * * *", "1--5 * * * *", "1-2-3 * * * *", "-- * * * *",
	"22-4 * * * *", "0 22-4 * * *", "0 0 * * FRI-MON", "0 0 * NOV-FEB *", "1 - 5 * * * *", "*-5 * * * *", "*-foo * * * *",
	"*- * * * *", "*-*/2 * * * *", "?-9 * * * *", "*-1-2-3 * * * *", "*-5/0 * * * *", "*-5/7 * * * *", "foo-* * * * *", "5-* * * * *", "1-? * * * *",
	"+1-+5 * * * *", "1-+5 * * * *", "-+5 * * * *", "1–5 * * * *", "1−5 * * * *",
	// Lists.
	", * * * *", ",, * * * *", "1,,2 * * * *", ",1 * * * *", "1, * * * *", ",1, * * * *", "0 0 , * *", "0 0 * * ,", ", , , , ,", "1, 2 * * * *",
	"1 ,2 * * * *", "1,2,3,60 * * * *", "1,x * * * *", "*,5 * * * *", "5,* * * * *", "?,5 * * * *", "*,* * * * *", "1,1 * * * *",
	"1;2 * * * *", "1|2 * * * *", "1.2 * * * *", "1，2 * * * *", "*,60 * * * *", "*,*/0 * * * *",
	// Signs, and numbers in other notations.
	"+5 * * * *", "+ * * * *", "++5 * * * *", "+-5 * * * *", "+0 +0 +1 +1 +0", "0x5 * * * *", "5e0 * * * *", "1_0 * * * *", "0b1 * * * *", "5. * * * *",
	".5 * * * *", "٥ * * * *", "５ * * * *", "𝟓 * * * *", "²  * * * *", "1 0 * * *", "'5' * * * *", "\"5\" * * * *", "NaN * * * *", "Infinity * * * *",
	"null * * * *", "undefined * * * *", "true * * * *", "constructor * * * *", "0 0 * constructor *", "0 0 * __proto__ *", "0 0 * * toString",
	"0 0 * * hasOwnProperty", "@constructor", "@__proto__",
	// Names.
	"0 0 * jan *", "0 0 * JAN *", "0 0 * jAn *", "0 0 * january *", "0 0 * ja *", "0 0 * sept *", "0 0 * sun *", "0 0 * * sun", "0 0 * * SUN",
	"0 0 * * sunday", "0 0 * * tues", "0 0 * * thu", "0 0 * * thur", "0 0 * * jan", "jan * * * *", "0 sun * * *", "0 0 mon * *", "0 0 * * mon,tue,WED",
	"0 0 * * mon-5", "0 0 * * 1-fri", "0 0 * * mon-fri/2", "0 0 * jan-dec/2 *", "0 0 * * sat-sun", "0 0 * * sun-sat", "0 0 * * +sun", "0 0 * * so",
	"0 0 * * FRİ", "0 0 * * frı", "0 0 * * ſun", "0 0 * * ＭＯＮ", "0 0 * * mo\u0301n", "0 0 * oKt *", "0 0 * ocT *", "0 0 * dez *", "0 0 * * *mon", "0 0 * * mon*",
	// White space.
	"  0 0 * * *", "0 0 * * *  ", "0  0   *    *     *", "0\t0\t*\t*\t*", "0\n0\n*\n*\n*", "0\r\n0 * * *", "0\v0\f* * *", "\n0 0 * * *\n",
	"0\u00a00 * * *", "0\u00850 * * *", "0\u16800 * * *", "0\u20000\u2001*\u2002*\u2003*", "0\u2004\u2005\u20060 * * *", "0\u2007\u2008\u2009\u200a0 * * *",
	"0\u20280 * * *", "0\u20290 * * *", "0\u202f0 * * *", "0\u205f0 * * *", "0\u30000 * * *", "0\ufeff0 * * *", "\ufeff0 0 * * *", "0 0 * * *\ufeff",
	"0\u200b0 * * *", "0\u180e0 * * *", "0\u001c0 * * *", "0\u001f0 * * *", "0\u00000 * * *", "0 0 * * *\u0000", "\u00850 0 * * *", "0 0 * * *\u3000",
	"0\u20600 * * *", "\u200e0 0 * * *",
	// Time zones, which have a separate field.
	"TZ=UTC 0 0 * * *", "CRON_TZ=UTC 0 0 * * *", "TZ=Europe/Berlin @daily", "CRON_TZ=America/New_York 30 2 * * *", "TZ=UTC", "TZ=0", "CRON_TZ=", "TZ=",
	"TZ= 0 0 * * *", "TZ=Nowhere/Else 0 0 * * *", "tz=UTC 0 0 * * *", " TZ=UTC 0 0 * * *", "0 0 * * * TZ=UTC", "0 0 * * TZ", "TZ * * * *", "*-TZ * * * *",
	"*-tz * * * *", "0 0 *-TZ * *", "@every TZ", "@TZ", "TZ=UTC\t0 0 * * *", "TZ=UTC@daily", "TZ=Local 0 0 * * *", "UTC 0 0 * * *", "0 0 * * * UTC",
	"CRON_TZ=UTC @every 1h", "TZ=UTC * * * *", "TZ=UTC  * * * * *", "TZ=\U0001F30D 0 0 * * *",
	// Unusual expressions.
	"* * * * *\\", "\\* * * * *", "** * * * *", "*? * * * *", "?* * * * *", "*5 * * * *", "5* * * * *", "?? * * * *", "?5 * * * *", "(*) * * * *", "[0-5] * * * *",
	"{1} * * * *", "$ * * * *", "& * * * *", "\U0001F600 * * * *", "🕛 * * * *", "е * * * *", "<script> * * * *", "0 0 * * *;DROP", "${x} * * * *", "{{x}} * * * *", "$(date) * * * *",
}

// lax contains expressions that robfig/cron accepts because of a missing check. This package may reject them.
var lax = []string{
	"*-foo 4 * * *", "*-5/30 4 * * *", "?-x 4 1 * *", "0 0 *-foo * 1", "0 , * * *", "0 0 , * *", "0 0 , * 1", "0 0 * * ,",
	"0 0 13 * ,", "0 0 * , *",
}

// everyDurations contains the texts after "@every ".
var everyDurations = []string{
	"1s", "2s", "59s", "60s", "90s", "1m", "5m", "1h", "1h30m", "1h30m10s", "24h", "36h", "168h", "8760h", "43800h", "87600h", "1.5h", "1.5m", "1.5s", "2.5s",
	"1.9s", "1.999999999s", "1.9999999999999999s", "0.5s", "0.9s", "0.999999999s", "0.9999999999s", "0.99999999999999999999s", "1.0s", "1.s", "1.", ".5m", ".5h", ".5s", ".s", ".", "0", "+0", "-0", "0s", "0h", "0.0s", "-1h",
	"-1s", "-0.5s", "-1.5h", "+5s", "+1h30m", "+-1s", "--1s", "++1s", "1h-30m", "1h+30m", "1µs", "1us", "1μs", "1ns", "1ms", "999ms", "1000ms", "1001ms", "1500ms", "60000ms", "1000000us", "1000000µs",
	"1000000000ns", "999999999ns", "1s1ns", "1s999ms", "500ms500ms", "0.5s0.5s", "1h1h", "1m1h", "1s1s1s", "1h1m1s1ms1us1ns", "1d", "1w", "1y", "1D", "1H", "1S", "1M", "1hour", "1min", "1 h", "1h 30m",
	" 1h", "1h ", "\t1h", "1h\n", "1h30", "30", "5", "1.5", "h", "s", "hm", "", " ", "e", "1e3s", "1E3s", "0x10s", "1_000s", "1,5s", "1,000s", "1:30", "PT1H", "P1D", "daily", "one hour", "inf", "NaN", "1.5.5s", "1..5s",
	"1h.5m", "1h.m", "00000001s", "0000000000000000000000000000000000000001s", "1.00000000000000000000000000000000001s", "9223372036s", "9223372036.854775807s", "9223372036.854775808s", "9223372036.9s", "9223372037s", "9223372036854ms", "9223372036855ms",
	"9223372036854775807ns", "9223372036854775808ns", "9223372036854775809ns", "-9223372036854775808ns", "-9223372036854775807ns", "-9223372036854775809ns", "18446744073709551616ns", "2562047h", "2562047h47m16.854775807s", "2562047h47m16.854775808s",
	"2562048h", "2562047.8h", "153722867m", "153722868m", "153722867.28m", "99999999999999999999h", "0.00000000000000000000000000000000000000001h", "0.1h", "0.01h", "0.001h", "0.0001h", "0.0002777777777777777h", "0.00027777777777777778h", "0.0003h", "0.016666666666666666m", "0.017m",
	"3.141592653589793h", "1.0000000001h", "2.9999999999999999999999s", "1٥s", "１s", "1ｓ", "1\u00b5s1s", "1\u03bcs1s", "1s\u00b5", "1µ", "1u", "1n", "1µS", "-.5s", "+.5s", "-.s", "+", "-", "+s", "1s+", "1s-", "1s.", "1s1", "1.s1s", "1h\u00a030m", "TZ1h", "1hTZ",
}

// acceptanceLine is a line of acceptance.jsonl.gz: the text, 1 if the text is valid, and the error message or the
// nanoseconds of `@every`.
type acceptanceLine = []any

func writeAcceptance(path string, about header) {
	about.About = "text, whether Kubernetes accepts it (1 or 0); how it refuses, or the nanoseconds of @every"
	random := rand.New(rand.NewPCG(seed, 1))
	var lines []any
	accepted, panics := 0, 0
	seen := map[string]bool{}
	add := func(text string) {
		if seen[text] || !utf8.ValidString(text) {
			return
		}
		seen[text] = true
		err := validate(text)
		if err == nil {
			accepted++
			line := acceptanceLine{text, 1}
			if duration, isEvery := strings.CutPrefix(text, "@every "); isEvery {
				parsed, err := time.ParseDuration(duration)
				check(err)
				line = append(line, parsed.Nanoseconds())
			}
			lines = append(lines, line)
			return
		}
		if strings.HasPrefix(err.Error(), "panic") {
			panics++
		}
		lines = append(lines, acceptanceLine{text, 0, shortened(err.Error())})
	}
	for _, text := range acceptanceTexts(random) {
		add(text)
	}
	writeLines(path, about, lines)
	fmt.Printf("acceptance: %d expressions, %d accepted, %d make robfig panic\n", len(lines), accepted, panics)
}

func shortened(message string) string {
	if runes := []rune(message); len(runes) > 80 {
		return string(runes[:80]) + "…"
	}
	return message
}

func acceptanceTexts(random *rand.Rand) []string {
	texts := slices.Concat(chosen, lax, questionable)
	for _, duration := range everyDurations {
		texts = append(texts, "@every "+duration)
	}
	texts = append(texts,
		// Longer than the limit of 1024 characters.
		strings.Repeat("1,", 600)+"1 * * * *", "0 0 * * *"+strings.Repeat(" ", 1100), strings.Repeat("*", 5000), strings.Repeat("*,", 400)+"* * * * *",
		strings.Repeat("* ", 2000), "@every "+strings.Repeat("1s", 600), "@every "+strings.Repeat("1s", 400), strings.Repeat("0", 900)+"5 * * * *",
		strings.Repeat("-", 900)+" * * * *", strings.Repeat("/", 900)+" * * * *", "*/"+strings.Repeat("9", 900)+" * * * *", "@"+strings.Repeat("x", 900),
	)
	for range validRandom {
		texts = append(texts, randomText(random))
	}
	base := slices.Clone(texts)
	for range mutatedRandom {
		texts = append(texts, mutated(random, base[random.IntN(len(base))]))
	}
	const alphabet = "0123456789*/,-? @+.LW#HTZsunmonjaevry=\t"
	for range brokenRandom {
		var text strings.Builder
		for range 5 {
			for range 1 + random.IntN(4) {
				text.WriteByte(alphabet[random.IntN(len(alphabet))])
			}
			text.WriteByte(' ')
		}
		texts = append(texts, strings.TrimSpace(text.String()))
	}
	for range everyRandom {
		texts = append(texts, "@every "+randomDuration(random))
	}
	return texts
}

// mutated returns the text with one to three changed characters.
func mutated(random *rand.Rand, text string) string {
	const alphabet = "0123456789*/,-? @+.LWHhsmnuµTZ#JANfri\t"
	letters := []rune(alphabet)
	runes := []rune(text)
	for range 1 + random.IntN(3) {
		letter := letters[random.IntN(len(letters))]
		at := random.IntN(len(runes) + 1)
		switch kind := random.IntN(3); {
		case at == len(runes) || kind == 0:
			runes = append(runes[:at:at], append([]rune{letter}, runes[at:]...)...)
		case kind == 1:
			runes[at] = letter
		default:
			runes = append(runes[:at:at], runes[at+1:]...)
		}
	}
	return string(runes)
}

func randomDuration(random *rand.Rand) string {
	units := []string{"h", "m", "s", "h", "m", "s", "h", "m", "s", "ms", "us", "µs", "μs", "ns", "", "d", "S"}
	var text strings.Builder
	if random.IntN(8) == 0 {
		text.WriteByte("+-"[random.IntN(2)])
	}
	for range 1 + random.IntN(3) {
		digits := 1 + random.IntN(3)
		if random.IntN(10) == 0 {
			digits = random.IntN(22)
		}
		for range digits {
			text.WriteByte(byte('0' + random.IntN(10)))
		}
		if random.IntN(3) == 0 {
			text.WriteByte('.')
			for range random.IntN(5) {
				text.WriteByte(byte('0' + random.IntN(10)))
			}
		}
		text.WriteString(units[min(random.IntN(len(units)), random.IntN(len(units)))])
	}
	return text.String()
}

// writeEvery writes firings of `@every`. The anchor is the start, so each firing is a multiple of the period after the
// start.
func writeEvery(path string, about header) {
	about.About = "text, start in Unix seconds, then the seconds from each firing to the next"
	random := rand.New(rand.NewPCG(seed, 2))
	var lines []any
	add := func(text string) {
		schedule, err := parse(text)
		if err != nil {
			return
		}
		every, ok := schedule.(cron.ConstantDelaySchedule)
		if !ok {
			return
		}
		if duration, err := time.ParseDuration(strings.TrimPrefix(text, "@every ")); err != nil || duration < time.Second {
			return // this package rejects the expression
		}
		start := randomInstant(random)
		row := []any{text, start}
		at := time.Unix(start, 0)
		for range instantsPerRow {
			next := every.Next(at)
			row = append(row, next.Unix()-at.Unix())
			at = next
		}
		lines = append(lines, row)
	}
	for _, duration := range everyDurations {
		add("@every " + duration)
	}
	for range everyRandom {
		add("@every " + randomDuration(random))
	}
	writeLines(path, about, lines)
	fmt.Printf("every: %d rows\n", len(lines))
}
