package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// parse is ParseStandard, with its panics as errors.
func parse(text string) (schedule cron.Schedule, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return cron.ParseStandard(text)
}

// validate adds what Kubernetes' API validation refuses beyond the parser (pkg/apis/batch/validation).
func validate(text string) error {
	if _, err := parse(text); err != nil {
		return err
	}
	if strings.Contains(text, "TZ") {
		return fmt.Errorf("cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
	}
	return nil
}

type question struct {
	Text  string
	Zone  string
	Start int64
	Count int
}

// robfigAnswer is what repeated Next says. Fewer firings than asked for mean: then never, or, with Hangs, no answer.
type robfigAnswer struct {
	firings []int64
	hangs   bool
}

const (
	answerArgument = "answer-questions"
	// A search takes less than a millisecond.
	patience = 3 * time.Second
	// What the child writes for "never".
	never = int64(-1)
)

// answer is the child process: a question a line in, each firing on a line out.
func answer(in io.Reader, out io.Writer) {
	questions := json.NewDecoder(in)
	var q question
	for questions.Decode(&q) == nil {
		schedule, err := parse(q.Text)
		check(err)
		location, err := time.LoadLocation(q.Zone)
		check(err)
		at := time.Unix(q.Start, 0).In(location)
		for range q.Count {
			at = schedule.Next(at)
			if at.IsZero() {
				fmt.Fprintln(out, never)
				break
			}
			fmt.Fprintln(out, at.Unix())
		}
	}
}

// robfig asks the library in a child process, because a search that hangs can only be killed.
type robfig struct {
	child   *exec.Cmd
	ask     *json.Encoder
	firings chan int64
}

func (r *robfig) start() {
	r.child = exec.Command(os.Args[0], answerArgument)
	r.child.Stderr = os.Stderr
	in, err := r.child.StdinPipe()
	check(err)
	out, err := r.child.StdoutPipe()
	check(err)
	check(r.child.Start())
	r.ask = json.NewEncoder(in)
	firings := make(chan int64)
	r.firings = firings
	go func() {
		defer close(firings)
		for lines := bufio.NewReader(out); ; {
			var firing int64
			if _, err := fmt.Fscanln(lines, &firing); err != nil {
				return
			}
			firings <- firing
		}
	}()
}

func (r *robfig) stop() {
	if r.child == nil {
		return
	}
	check(r.child.Process.Kill())
	for range r.firings { // until the reader has seen the end
	}
	_ = r.child.Wait() // it was killed
	r.child = nil
}

func (r *robfig) next(q question) robfigAnswer {
	if r.child == nil {
		r.start()
	}
	check(r.ask.Encode(q))
	var told robfigAnswer
	for range q.Count {
		select {
		case firing, ok := <-r.firings:
			if !ok {
				log.Fatalf("the child process ended at %+v", q)
			}
			if firing == never {
				return told
			}
			told.firings = append(told.firings, firing)
		case <-time.After(patience):
			r.stop()
			told.hangs = true
			return told
		}
	}
	return told
}
