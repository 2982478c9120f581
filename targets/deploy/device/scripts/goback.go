package scripts

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/commands"
)

// StateName returns the name of a live state, which becomes a path below the run's folder. It panics if the name of the target leads
// outside of that folder.
func StateName(name string) string {
	if path.Clean("/"+name) != "/"+name {
		panic("scripts: the name of a live state is not a relative path: " + name)
	}
	return name
}

// GoBack returns the step that puts the content from before a kept run to use again. The result is the step itself, or its undo with the
// earlier live states. states maps the names of live states to their earlier values.
//
// queries read the live states that the step may change. If all of them have their earlier values, the earlier content is in use.
func GoBack(s *commands.Step, states map[string][]byte, queries map[string]*commands.Query) *commands.Step {
	if s.Undo == nil {
		return s
	}
	var b strings.Builder
	b.WriteString("# going back to what was there before\nROCEC_LIVE=$ROCEC_STEP/before\nROCEC_WHY=kept\nexport ROCEC_LIVE ROCEC_WHY\n")
	for _, name := range slices.Sorted(maps.Keys(states)) {
		file := `"$ROCEC_LIVE"/` + Quote(StateName(name))
		fmt.Fprintf(&b, "mkdir -p %s && printf %%s %s >%s || exit 1\n", `"$ROCEC_LIVE"/`+Quote(path.Dir(name)), Quote(string(states[name])), file)
	}
	b.WriteString(`sh "$ROCEC_STEP/undo" <"$ROCEC_STEP/undo.in"`)
	out := *s
	out.Name = backName(s.Name, states, queries)
	out.Cmd, out.Loaded = b.String(), asBefore(states, queries)
	return &out
}

// The name of a step that goes back has parts with " | " between them: the word back, a part "STATE SUM [QUERY]" for each live state, and
// the name of the step that it undoes. SUM is "-" for a missing state.
const (
	backWord = "back"
	backBar  = " | "
	unfound  = "-"
)

func backName(of string, states map[string][]byte, queries map[string]*commands.Query) string {
	parts := []string{backWord}
	names := map[string]bool{}
	for name := range states {
		names[name] = true
	}
	for name := range queries {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		part := commands.Spell(name) + " " + unfound
		if text, ok := states[name]; ok {
			part = commands.Spell(name) + " " + commands.SumOf(text)
		}
		if q := queries[name]; q != nil {
			part += " " + q.Name
		}
		parts = append(parts, part)
	}
	return strings.Join(append(parts, WentForth(of)), backBar) // undoing a step that went back is the same as undoing its first step
}

// WentForth returns the name of the step that the named step undoes. If the named step does not go back, WentForth returns the name
// itself.
func WentForth(name string) string {
	if GoesBack(name) {
		name = name[strings.LastIndex(name, backBar)+len(backBar):]
	}
	return name
}

// GoesBack reports whether [GoBack] makes steps with such a name.
func GoesBack(name string) bool { return strings.HasPrefix(name, backWord+backBar) }

// Recall makes a step of GoBack again from its name; the function of recalls the step inside the name, and the queries. For any name, the
// result is such a step or an error.
func Recall(name string, of func(name string) (*commands.Made, error), kept commands.Kept) (*commands.Made, error) {
	unknown := &commands.Unknown{Name: name}
	parts := strings.Split(name, backBar)
	if len(parts) < 2 || parts[0] != backWord || len(name) > commands.MostName {
		return nil, unknown
	}
	states, queries := map[string][]byte{}, map[string]*commands.Query{}
	for _, part := range parts[1 : len(parts)-1] {
		words := strings.SplitN(part, " ", 3)
		state, ok := commands.Spelled(words[0])
		if !ok || len(words) < 2 || !commands.ValidPath(state, true) {
			return nil, unknown
		}
		switch words[1] {
		case unfound:
		case commands.Absent:
			states[state] = nil
		default:
			text, err := kept(words[1])
			if err != nil {
				return nil, err
			}
			if text == nil {
				text = []byte{}
			}
			if commands.SumOf(text) != words[1] || bytes.IndexByte(text, 0) >= 0 {
				return nil, unknown
			}
			states[state] = text
		}
		if len(words) < 3 {
			continue
		}
		made, err := of(words[2])
		if err != nil {
			return nil, err
		}
		if made.Query == nil {
			return nil, unknown
		}
		queries[state] = made.Query
	}
	made, err := of(parts[len(parts)-1])
	if err != nil {
		return nil, err
	}
	if made.Step == nil || made.Step.Undo == nil {
		return nil, unknown
	}
	s := GoBack(made.Step, states, queries)
	if s.Name != name {
		return nil, unknown
	}
	return &commands.Made{Step: s}, nil
}

// asBefore returns a query whether live states have their earlier values; nil: no states. A difference is not a failure, because some
// hardware values do not return. In that case the use of the earlier content is not confirmed.
func asBefore(states map[string][]byte, queries map[string]*commands.Query) *commands.Query {
	if len(queries) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("# live states as before\n")
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		q := queries[name]
		fmt.Fprintf(&b, "now=$(printf %%s %s | sh -c %s 2>/dev/null | sha256sum)\n", Quote(string(q.Stdin)), Quote(q.Cmd))
		fmt.Fprintf(&b, "if [ \"${now%%%% *}\" != %s ]; then\n\techo %s\n\texit\nfi\n", commands.SumOf(states[name]),
			Quote("not confirmed: "+name+" is not as it was before"))
	}
	b.WriteString("echo " + commands.Loaded)
	return &commands.Query{Cmd: b.String()}
}
