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

// parse calls ParseStandard, and converts its panics to errors.
func parse(text string) (schedule cron.Schedule, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return cron.ParseStandard(text)
}

// validate returns the errors of the API validation of Kubernetes (pkg/apis/batch/validation) for expressions that the
// parser accepts.
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

// robfigAnswer contains the results of repeated calls of Next. If it has too few firings, the schedule never fires
// again, or, with Hangs, the last call hangs.
type robfigAnswer struct {
	firings []int64
	hangs   bool
}

const (
	answerArgument = "answer-questions"
	// A search takes less than a millisecond.
	patience = 3 * time.Second
	// The output of the child process for a schedule that never fires again.
	never = int64(-1)
)

// answer runs in the child process. It reads one question per line, and writes one firing per line.
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

// robfig calls the library in a child process, because only a process with a hanging search can be killed.
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
	for range r.firings { // until the reader has read the end
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
