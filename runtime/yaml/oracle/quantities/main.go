// Writes how Go reads and prints quantities and durations, one JSON object per line.
package main

import (
	"encoding/json"
	"log"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

type row struct {
	Quantity string `json:"quantity,omitempty"`
	Duration string `json:"duration,omitempty"`
	// The canonical text, absent if Go rejects the text.
	Canonical string `json:"canonical,omitempty"`
	// The value in ones, rounded up, if it is a 64-bit integer.
	Value string `json:"value,omitempty"`
	// The second operand, with the canonical sum and difference, and the result of the comparison.
	Other      string `json:"other,omitempty"`
	Sum        string `json:"sum,omitempty"`
	Difference string `json:"difference,omitempty"`
	Compared   int    `json:"compared,omitempty"`
	// The duration in nanoseconds.
	Nanoseconds string `json:"nanoseconds,omitempty"`
}

var (
	random   = rand.New(rand.NewSource(1))
	suffixes = strings.Split(" ,n,u,m,k,M,G,T,P,E,Ki,Mi,Gi,Ti,Pi,Ei,e0,e1,E3,e-3,e+6,e-9,e18,K,mi,ki,e,i,E+,e1.5,B,GB", ",")
	numbers  = strings.Split("0,00,1,10,1.5,0.5,.5,5.,1024,1023,1000,1500,0.001,0.0001,0.0000000001,1.0000000001,123456789,9223372036854775807,9223372036854775808,999999999999999999,007,1.10,-1,+1,-0.5,-1024,-0.0000000001,1 ,--1,x,,.,-,1.2.3,1_000", ",")
	units    = strings.Split("ns,us,µs,ms,s,m,h", ",")
)

func canonical(q resource.Quantity) string {
	number, suffix := q.CanonicalizeBytes(nil)
	return string(number) + string(suffix)
}

func quantity(text string) (row, *resource.Quantity) {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return row{Quantity: text}, nil
	}
	result := row{Quantity: text, Canonical: canonical(q)}
	if exact := q.AsDec().String(); len(exact) < 18 {
		result.Value = strconv.FormatInt(q.Value(), 10)
	}
	return result, &q
}

func pair(left, right string) row {
	result, q := quantity(left)
	other := resource.MustParse(right)
	sum, difference := q.DeepCopy(), q.DeepCopy()
	sum.Add(other)
	difference.Sub(other)
	result.Other, result.Compared = right, q.Cmp(other)
	result.Sum, result.Difference = canonical(sum), canonical(difference)
	return result
}

func pick(texts []string) string { return strings.TrimSpace(texts[random.Intn(len(texts))]) }

func randomQuantity() string {
	text := strconv.FormatInt(random.Int63()>>uint(random.Intn(62)), 10)
	if random.Intn(2) == 0 {
		text += "." + strconv.Itoa(random.Intn(10000))
	}
	if len(text) > 12 {
		return text
	}
	return text + strings.TrimSpace(suffixes[random.Intn(20)])
}

func main() {
	encoder := json.NewEncoder(os.Stdout)
	write := func(value row) {
		if err := encoder.Encode(value); err != nil {
			log.Fatal(err)
		}
	}
	for _, number := range numbers {
		for _, suffix := range suffixes {
			each, _ := quantity(number + strings.TrimSpace(suffix))
			write(each)
		}
	}
	for range 300 {
		each, _ := quantity(randomQuantity())
		write(each)
		write(pair(randomQuantity(), randomQuantity()))
	}
	for _, text := range strings.Split("0,-0,+5s,1h30m,1.5h,.5s,5.s,90s,1h1m1s1ms1us1ns,-2m,3000000h,1d,1,s,1h 2m,,1e3s,-,1.s5m,100ms,0s,2540400h10m10s", ",") {
		write(duration(text))
	}
	for range 150 {
		text := strconv.Itoa(random.Intn(100000)) + pick(units)
		if random.Intn(2) == 0 {
			text = strconv.Itoa(random.Intn(1000)) + "." + strconv.Itoa(random.Intn(100)) + pick(units) + text
		}
		write(duration(text))
	}
}

func duration(text string) row {
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return row{Duration: text}
	}
	return row{Duration: text, Canonical: parsed.String(), Nanoseconds: strconv.FormatInt(parsed.Nanoseconds(), 10)}
}
