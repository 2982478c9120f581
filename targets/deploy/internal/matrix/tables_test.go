//go:build linux

package matrix

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

var write = flag.String("write", "", "put the tables of this run into a `file`, each between lines <!-- table NAME --> and <!-- end -->")

// tables contains the tables of this run, by name.
var tables struct {
	sync.Mutex
	text map[string]string
}

// publish stores a table for the file.
func publish(name, text string) {
	tables.Lock()
	defer tables.Unlock()
	if tables.text == nil {
		tables.text = map[string]string{}
	}
	tables.text[name] = text
}

// writeTables writes the tables to their places in the file.
func writeTables(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(tables.text)) {
		begin := "<!-- table " + name + " -->\n"
		head, rest, ok := strings.Cut(string(text), begin)
		_, tail, closed := strings.Cut(rest, "<!-- end -->\n")
		if !ok || !closed {
			return fmt.Errorf("%s has no place for the table %q", file, name)
		}
		text = []byte(head + begin + tables.text[name] + "<!-- end -->\n" + tail)
	}
	return os.WriteFile(file, text, 0o644)
}

// counted is a row of a table: the results of many cells.
type counted struct {
	cells  int
	ends   map[string]int
	broken map[promise]int
	failed int // cells without a valid experiment: the fault did not fire, or this machine failed
}

func (c *counted) add(r *nspawn.Result) {
	if c.ends == nil {
		c.ends, c.broken = map[string]int{}, map[promise]int{}
	}
	c.cells++
	b, ok := errors.AsType[*broken](r.Err)
	switch {
	case r.Err == nil:
		c.ends[r.End]++
	case ok:
		c.broken[b.promise]++
	default:
		c.failed++
	}
}

// endsOrder is the order of the columns. Other ends follow by name.
var endsOrder = []string{"old", "new", "edited", "the other's"}

// countsBy returns a table with a row for each key, in the order of the first cells, and a last row for all cells.
func countsBy(t nspawn.Table, head string, key func(*nspawn.Result) string) string {
	var names []string
	rows, ends, all := map[string]*counted{}, map[string]bool{}, &counted{}
	for i := range t {
		name := key(&t[i])
		if rows[name] == nil {
			rows[name] = &counted{}
			names = append(names, name)
		}
		rows[name].add(&t[i])
		all.add(&t[i])
	}
	for end := range all.ends {
		ends[end] = true
	}
	var columns []string
	for _, end := range append(slices.Clone(endsOrder), slices.Sorted(maps.Keys(ends))...) {
		if ends[end] && !slices.Contains(columns, end) {
			columns = append(columns, end)
		}
	}
	header := []string{head, "cells"}
	for _, c := range columns {
		header = append(header, "ended "+c)
	}
	for _, p := range promises {
		header = append(header, string(p))
	}
	var b strings.Builder
	line := func(words []string) { b.WriteString("| " + strings.Join(words, " | ") + " |\n") }
	line(append(header, "not judged"))
	line(slices.Repeat([]string{"---"}, len(header)+1))
	for _, name := range append(names, "all") {
		r := rows[name]
		if r == nil {
			r = all
		}
		words := []string{name, fmt.Sprint(r.cells)}
		for _, c := range columns {
			words = append(words, fmt.Sprint(r.ends[c]))
		}
		for _, p := range promises {
			words = append(words, fmt.Sprint(r.broken[p]))
		}
		line(append(words, fmt.Sprint(r.failed)))
	}
	return b.String()
}

// cross counts cells by fault and command.
func cross(t nspawn.Table) string {
	var faults, commands []string
	cells := map[[2]string]int{}
	for _, r := range t {
		if !slices.Contains(faults, r.Fault) {
			faults = append(faults, r.Fault)
		}
		if !slices.Contains(commands, r.Command) {
			commands = append(commands, r.Command)
		}
		cells[[2]string{r.Fault, r.Command}]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| fault | %s |\n| --- |%s\n", strings.Join(commands, " | "), strings.Repeat(" --- |", len(commands)))
	for _, f := range faults {
		fmt.Fprintf(&b, "| %s |", f)
		for _, c := range commands {
			fmt.Fprintf(&b, " %d |", cells[[2]string{f, c}])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func byFault(r *nspawn.Result) string { return r.Fault }
func byKind(r *nspawn.Result) string  { return r.Kind.Name }
