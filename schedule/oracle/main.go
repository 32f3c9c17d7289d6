// Oracle writes the golden files for the tests of this package: the expressions that github.com/robfig/cron/v3 and
// Kubernetes accept, and the instants at which the expressions fire.
//
// `make schedule-golden` runs this program. The files of the same Go release are identical.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// header is the first line of every golden file.
type header struct {
	About  string `json:"about"`
	Go     string `json:"go"`
	Tzdata string `json:"tzdata"`
	Cron   string `json:"cron"`
	Seed   uint64 `json:"seed"`
}

const seed = 20240229

func main() {
	log.SetFlags(0)
	if len(os.Args) == 2 && os.Args[1] == answerArgument {
		answer(os.Stdin, os.Stdout)
		return
	}
	golden := flag.String("golden", "golden", "folder for the golden files")
	names := flag.String("names", "../time-zone-names.ts", "file for the names of the time zones")
	flag.Parse()

	goRoot, err := exec.Command("go", "env", "GOROOT").Output()
	check(err)
	zoneData := filepath.Join(strings.TrimSpace(string(goRoot)), "lib", "time")
	// time.LoadLocation reads this file, which time/tzdata embeds, before the files of the machine.
	check(os.Setenv("ZONEINFO", filepath.Join(zoneData, "zoneinfo.zip")))
	about := header{
		Go:     runtime.Version(),
		Tzdata: tzdataVersion(filepath.Join(zoneData, "update.bash")),
		Cron:   cronVersion(),
		Seed:   seed,
	}
	fmt.Printf("%s, tzdata %s, robfig/cron %s\n", about.Go, about.Tzdata, about.Cron)

	zones := loadZones(filepath.Join(zoneData, "zoneinfo.zip"))
	writeNames(*names, zones, about.Tzdata)
	writeTransitions(filepath.Join(*golden, "zones.jsonl.gz"), about, zones)
	writeAcceptance(filepath.Join(*golden, "acceptance.jsonl.gz"), about)
	writeEvery(filepath.Join(*golden, "every.jsonl.gz"), about)
	writeInstants(filepath.Join(*golden, "instants.jsonl.gz"), filepath.Join(*golden, "faults.jsonl.gz"), about, zones)
}

// tzdataVersion reads the release of tzdata from the script that created Go's copy.
func tzdataVersion(script string) string {
	text, err := os.ReadFile(script)
	check(err)
	match := regexp.MustCompile(`(?m)^DATA=(\S+)$`).FindSubmatch(text)
	if match == nil {
		log.Fatalf("%s names no DATA", script)
	}
	return string(match[1])
}

func cronVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		log.Fatal("built without modules")
	}
	for _, module := range info.Deps {
		if module.Path == "github.com/robfig/cron/v3" {
			return module.Version
		}
	}
	log.Fatal("built without robfig/cron")
	return ""
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
