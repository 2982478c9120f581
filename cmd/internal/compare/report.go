package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// difference is one difference between the results of the binaries.
type difference struct {
	member   string // the command and member: "validate json: diagnostics[].severity"
	input    string // the name of the input
	where    string // place inside the document or tree, if useful: "mtu-mismatch at fabric.hcl:7:18"
	old, new string // the values as text; absent if a binary has no value
}

// absent is printed for a member that the output of one binary lacks.
const absent = "(none)"

// inputsOf returns the number of inputs that differ.
func inputsOf(found []difference) int {
	inputs := map[string]bool{}
	for _, d := range found {
		inputs[d.input] = true
	}
	return len(inputs)
}

// report prints differences by member, with the number of differences of each. most bounds the total of rows, which the members share.
func report(w io.Writer, found []difference, most int) {
	byMember := map[string][]difference{}
	var members []string
	for _, d := range found {
		if byMember[d.member] == nil {
			members = append(members, d.member)
		}
		byMember[d.member] = append(byMember[d.member], d)
	}
	slices.SortFunc(members, func(a, b string) int {
		return cmp.Or(len(byMember[b])-len(byMember[a]), cmp.Compare(a, b)) // the most frequent first
	})
	shown := map[string]int{}
	for i, member := range slices.Backward(members) { // frequent members get the rows that rare members do not use
		shown[member] = min(len(byMember[member]), most/(i+1))
		most -= shown[member]
	}
	for _, member := range members {
		rows := byMember[member]
		fmt.Fprintf(w, "%s: %s in %s\n", member, count(len(rows), "difference"), count(inputsOf(rows), "input"))
		slices.SortStableFunc(rows, func(a, b difference) int { return cmp.Compare(a.input, b.input) })
		for _, d := range rows[:shown[member]] {
			fmt.Fprintf(w, "  %s", d.input)
			if d.where != "" {
				fmt.Fprintf(w, "  %s", d.where)
			}
			fmt.Fprintf(w, "\n    old: %s\n    new: %s\n", short(d.old), short(d.new))
		}
		if rest := len(rows) - shown[member]; rest > 0 {
			fmt.Fprintf(w, "  and %d more\n", rest)
		}
	}
	if len(members) > 0 {
		fmt.Fprintln(w)
	}
}

// short cuts a value for one line.
func short(s string) string {
	const most = 160
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + " ..."
	}
	return s
}
