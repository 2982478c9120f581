package deploy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/commands"
)

// About describes a run on each of its devices, for a machine that did not start it.
type About struct {
	Fabric  string        // its name
	Commit  string        // of the repository that holds the fabric
	Message string        // why, from the person
	Undoes  string        // for a rollback: the run that it undoes
	Hold    time.Duration // how long the devices wait to be confirmed; 0: they do not wait
	Hooks   bool          // a program drained devices, and may have to undrain them
	Devices []string      // names of all devices of the run

	// These differ from device to device.
	Device string // its name in the fabric
	Owner  string // who started the run
	Head   string // the SHA-256 of the journal's last line when the run reached the device
	Wave   int    // from 1; 0: not known
	Count  int    // number of devices in the run; 0: not known
}

// mostAbout is the largest number of device names that a run sends to each device. A larger run sends only the number of its devices.
const mostAbout = 2000

// Lines returns the description as a device stores it, with one value per line.
func (a About) Lines() string {
	var b strings.Builder
	line := func(key, value string) {
		if value = OneLine(value); value != "" {
			fmt.Fprintf(&b, "%s %s\n", key, value)
		}
	}
	line("device", a.Device)
	line("fabric", a.Fabric)
	line("owner", a.Owner)
	line("commit", a.Commit)
	line("message", a.Message)
	line("head", a.Head)
	line("undoes", a.Undoes)
	if a.Hold > 0 {
		line("hold", strconv.Itoa(int(a.Hold.Round(time.Second).Seconds())))
	}
	if a.Wave > 0 {
		line("wave", strconv.Itoa(a.Wave))
	}
	if a.Hooks {
		line("hooks", "yes")
	}
	if n := len(a.Devices); n > 0 {
		names := strings.Join(nodeset.Fold(a.Devices, nodeset.Devices), ",")
		if len(names) > mostAbout {
			names = ""
		}
		fmt.Fprintf(&b, "devices %s\n", strings.TrimSpace(strconv.Itoa(n)+" "+names))
	}
	return b.String()
}

var commitForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{7,64}\+?$`) })

// ParseAbout parses the text of [About.Lines]. The text comes from a device, so ParseAbout ignores invalid values.
func ParseAbout(text string) About {
	var a About
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch key {
		case "device":
			a.Device = OneLine(value)
		case "fabric":
			a.Fabric = OneLine(value)
		case "owner":
			a.Owner = OneLine(value)
		case "message":
			a.Message = OneLine(value)
		case "head":
			if validHead(value) {
				a.Head = value
			}
		case "commit":
			if commitForm().MatchString(value) {
				a.Commit = value
			}
		case "undoes":
			if ValidRun(value) {
				a.Undoes = value
			}
		case "hold":
			if n, ok := number(value, int(MaxHold/time.Second)); ok {
				a.Hold = time.Duration(n) * time.Second
			}
		case "wave":
			a.Wave, _ = number(value, 1_000_000)
		case "hooks":
			a.Hooks = true
		case "devices":
			count, names, _ := strings.Cut(value, " ")
			a.Count, _ = number(count, 1_000_000)
			a.Devices = devicesOf(names, a.Count)
		}
	}
	return a
}

// number parses an integer from 1 to most.
func number(text string, most int) (int, bool) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, false
	}
	return n, true
}

// devicesOf parses the names of the devices of a run. It returns nil if the text lacks them or contains another number of names.
func devicesOf(text string, count int) []string {
	if text == "" || len(text) > mostAbout {
		return nil
	}
	set, bad := nodeset.Parse(text, nodeset.Devices)
	if len(bad) > 0 || set.Len() != count {
		return nil
	}
	var names []string
	for n := range set.All() {
		names = append(names, n.Device)
	}
	slices.Sort(names)
	return names
}

// MaxHold is how long a device may wait to be confirmed.
const MaxHold = 30 * 24 * time.Hour

// Act is a verb that a person ran for a run on a device, as the device recorded it.
type Act struct {
	Verb string // confirm, undo, release or unlock
	At   string // by the clock of the device
	Who  string // "bob@ws2, process 12"
	Head string // the SHA-256 of the last line in the journal of Who at that time; empty: not known
}

// ParseHead parses a line "VERB head SHA-256". A device prints it after the line of the act.
func (a *Act) ParseHead(line string) {
	if head, ok := strings.CutPrefix(line, a.Verb+" head "); ok && validHead(head) {
		a.Head = head
	}
}

// validHead reports whether a text is the SHA-256 of a line of a journal.
func validHead(text string) bool { return text != Absent && commands.ValidSum(text) }

// acts maps the verbs that end or release a run on a device to their words.
var acts = map[string]string{"confirm": "Confirmed", "undo": "Undone", "release": "Taken away", "unlock": "Unlocked"}

// ParseAct parses a line "VERB TIME WHO" of a device. It returns the zero Act for any other line.
func ParseAct(line string) Act {
	verb, rest, _ := strings.Cut(line, " ")
	at, who, _ := strings.Cut(rest, " ")
	if _, err := time.Parse(time.RFC3339, at); err != nil || acts[verb] == "" {
		return Act{}
	}
	return Act{Verb: verb, At: at, Who: OneLine(who)}
}

// String returns the act, its author and its time: "Confirmed by bob@ws2, process 12, at 2026-11-21T06:51:36Z by the clock of the
// device".
func (a Act) String() string {
	return fmt.Sprintf("%s by %s, at %s by the clock of the device", acts[a.Verb], a.Who, a.At)
}
