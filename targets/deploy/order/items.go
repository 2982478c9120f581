package order

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/commands"
)

// Item is a file of the folder that a run has on a device.
type Item struct {
	Name string
	Data []byte
}

// Parts are the texts that a change names.
type Parts struct {
	Script  string           // of the run
	Checks  []string         // by file: the vendor's checker, if there is one
	Lives   []commands.Query // by live state
	Steps   []commands.Step  // by step
	Content func(sum string) []byte
	About   string
	First   int // see [Envelope]
	Later   int
}

// Items returns all files that a device needs for a run. run.sh describes them.
func (c *Change) Items(p *Parts) []Item {
	items := []Item{{"run", []byte(p.Script)}, {"key", []byte(c.Key + "\n")}}
	add := func(name, format string, args ...any) {
		items = append(items, Item{name, fmt.Appendf(nil, format, args...)})
	}
	var files, lives bytes.Buffer
	for i, f := range c.Files {
		fmt.Fprintf(&files, "%d %s %s %o %s\n", i, f.Base, f.Target, f.Mode, f.Path)
		if !f.Replaces {
			continue
		}
		if p.Checks[i] != "" {
			add("check."+strconv.Itoa(i), "%s\n", p.Checks[i])
		}
		if f.Target != commands.Absent {
			items = append(items, Item{"up." + strconv.Itoa(i), p.Content(f.Target)})
		}
	}
	if c.Back {
		add("back", "")
	}
	for i, l := range c.Lives {
		fmt.Fprintf(&lives, "%d %s\n", i, l.State)
		add("live."+strconv.Itoa(i), "%s\n", p.Lives[i].Cmd)
		items = append(items, Item{fmt.Sprintf("live.%d.in", i), p.Lives[i].Stdin})
	}
	var units strings.Builder
	for i, s := range c.Steps {
		made := &p.Steps[i]
		dir := fmt.Sprintf("step.%02d/", i)
		add(dir+"cmd", "%s\n", made.Cmd)
		if made.Stdin != "" {
			items = append(items, Item{dir + "cmd.in", []byte(made.Stdin)})
		}
		add(dir+"time", "%d\n", Seconds(made.Timeout))
		if made.Loaded != nil {
			add(dir+"loaded", "%s\n", made.Loaded.Cmd)
		}
		if s.Again {
			add(dir+"again", "")
		}
		if made.Keep != "" {
			add(dir+"keep", "%s\n", made.Keep)
		}
		if made.Units != "" {
			units.WriteString(" " + made.Units)
		}
		if made.Undo == nil {
			continue
		}
		add(dir+"undo", "%s\n", made.Undo.Cmd)
		items = append(items, Item{dir + "undo.in", made.Undo.Stdin})
		if len(s.States) > 0 {
			var states strings.Builder
			for _, n := range s.States {
				fmt.Fprintf(&states, "%d %s\n", n, c.Lives[n].State)
			}
			add(dir+"states", "%s", states.String())
		}
	}
	add("files", "%s", files.Bytes())
	add("lives", "%s", lives.Bytes())
	add("about", "%s", p.About)
	if c.Digest != "" {
		add("digest", "%s\n", c.Digest)
	} else {
		add("digest", "")
	}
	if c.Note != "" {
		add("note", "%s\n", c.Note)
	}
	add("need", "%d\n", c.Need)
	add("units", "%s\n", units.String())
	add("first", "%d\n", p.First)
	add("later", "%d\n", p.Later)
	add("end", "")
	return items
}

// Payload encodes the items for the connection: a line "NAME BYTES" before the bytes of each item. An item of one short line is encoded
// as "NAME =TEXT", which saves the device a process.
func Payload(items []Item) []byte {
	var b bytes.Buffer
	for _, it := range items {
		if text, ok := bytes.CutSuffix(it.Data, []byte("\n")); ok && len(text) < 200 && !bytes.ContainsAny(text, "\n\x00") &&
			(len(text) == 0 || !bytes.ContainsAny(text[len(text)-1:], " \t")) {
			fmt.Fprintf(&b, "%s =%s\n", it.Name, text)
			continue
		}
		fmt.Fprintf(&b, "%s %d\n", it.Name, len(it.Data))
		b.Write(it.Data)
	}
	return b.Bytes()
}

// stepTime is the default time of a step.
const stepTime = time.Minute

// Seconds returns the time of a step in whole seconds, at least one.
func Seconds(d time.Duration) int {
	if d == 0 {
		d = stepTime
	}
	return max(1, int(d.Round(time.Second).Seconds()))
}
