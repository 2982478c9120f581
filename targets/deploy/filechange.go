package deploy

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/target"
)

// LiveState is a live state with the value that was read.
type LiveState struct {
	Path string
	Text []byte
}

// FileState is the content of a file before and after, as SHA-256 in hex, or "absent".
type FileState struct{ Path, Base, Target string }

// Change is the change of one file or live state.
type Change struct {
	FileState
	File          *target.File // its Activate field is the step of this change
	Action        Action
	Before, After []byte // nil: no file
	Keys          []KeyChange
	Rights        []RightsChange // rights of users other than root on the file and on folders of rocec
	Unchanged     int            // number of keys of rocec that stay
	NotOurs       int            // number of keys that do not belong to rocec and stay
	Says          []string       // notes on how the change is checked and put to use, as sentences
}

// KeyChange is the change of one setting.
type KeyChange struct {
	Key           string
	Action        Action // Create, Update or Delete
	Before, After string // empty: no file
	From          []target.Origin
}

// Live reports whether the change is of a live state rather than a file.
func (c *Change) Live() bool { return c.File.Live != nil }

// Writes reports whether the change writes or removes bytes.
func (c *Change) Writes() bool { return !c.Live() && c.Base != c.Target }

// Absent replaces the SHA-256 of a missing file. The scripts print the same word.
const Absent = commands.Absent

// Sum is the SHA-256 of content in hex, or [Absent].
func Sum(content []byte) string { return commands.SumOf(content) }

func change(f *target.File, state FileState, before, after []byte) *Change {
	c := &Change{FileState: state, File: f, Before: before, After: after, Action: Update}
	switch {
	case state.Base == state.Target:
		c.Action = Activate
	case state.Base == Absent && f.Live == nil:
		c.Action = Create
	case after == nil:
		c.Action = Delete
	}
	if f.Keys != nil && (before != nil || state.Base == Absent) {
		c.compareKeys()
	}
	return c
}

// onlyRights is a change of owners and modes. It has no step, because the content stays.
func onlyRights(f *target.File, state FileState, content []byte, rights []RightsChange) *Change {
	still := *f
	still.Activate = target.Step{}
	c := change(&still, state, content, content)
	c.Action, c.Rights = Update, rights
	return c
}

// choose selects the step for a change of content. A file that already has its content keeps the step for any change, because the change
// by an earlier apply is unknown.
func (c *Change) choose(have []target.Sample) {
	if c.File.Choose == nil || c.Base == c.Target {
		return
	}
	own := *c.File
	own.Activate, c.Says = c.File.Choose(c.Before, c.After, have)
	c.File = &own
}

// compareKeys fills Keys in the order of the new content, followed by the removed keys in the order of the old content.
func (c *Change) compareKeys() {
	keys := func(content []byte) []target.Key {
		if content == nil {
			return nil
		}
		return c.File.Keys(content)
	}
	old, now := keys(c.Before), keys(c.After)
	value := func(keys []target.Key) map[string]string {
		m := make(map[string]string, len(keys))
		for _, k := range keys {
			m[k.Name] = k.Value
		}
		return m
	}
	was, is := value(old), value(now)
	add := func(k KeyChange) {
		if c.File.Why != nil {
			k.From = c.File.Why(k.Key)
		}
		c.Keys = append(c.Keys, k)
	}
	seen := map[string]bool{}
	for _, k := range now {
		if seen[k.Name] {
			continue
		}
		seen[k.Name] = true
		before, had := was[k.Name]
		after := is[k.Name]
		switch {
		case !had:
			add(KeyChange{Key: k.Name, Action: Create, After: after})
		case before != after:
			add(KeyChange{Key: k.Name, Action: Update, Before: before, After: after})
		case k.Ours:
			c.Unchanged++
		default:
			c.NotOurs++
		}
	}
	for _, k := range old {
		if _, stays := is[k.Name]; !stays && !seen[k.Name] {
			seen[k.Name] = true
			add(KeyChange{Key: k.Name, Action: Delete, Before: was[k.Name]})
		}
	}
}

// Differs lists the keys in which content differs from the wanted file: "/etc/x is not as written: cos is 3, not 4". It returns "" if
// there is no difference.
func Differs(f *target.File, content []byte) string {
	should, ds := f.Edit(content)
	if ds.HasErrors() {
		return f.Path + ": " + firstText(ds)
	}
	is := FileState{Path: f.Path, Base: Sum(content), Target: Sum(should)}
	if is.Base == is.Target {
		return ""
	}
	var parts []string
	for _, k := range change(f, is, content, should).Keys {
		switch k.Action {
		case Create:
			parts = append(parts, k.Key+" is missing")
		case Delete:
			parts = append(parts, k.Key+" is there")
		default:
			parts = append(parts, fmt.Sprintf("%s is %s, not %s", k.Key, k.Before, k.After))
		}
	}
	if len(parts) == 0 {
		return f.Path + " is not as written"
	}
	return f.Path + " is not as written: " + strings.Join(parts, ", ")
}

// Unified returns the change as a unified diff of the two contents, for --diff; empty when they are equal.
func (c *Change) Unified() string {
	if bytes.Equal(c.Before, c.After) {
		return ""
	}
	from, to := "a"+c.Path, "b"+c.Path
	if c.Live() {
		from, to = "live/"+c.Path, "wanted/"+c.Path
	}
	if c.Before == nil {
		from = "/dev/null"
	}
	if c.After == nil {
		to = "/dev/null"
	}
	before, after := string(c.Before), string(c.After)
	text, err := udiff.ToUnified(from, to, before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil {
		panic("deploy: " + err.Error()) // the edits come from the same text
	}
	return diag.EscapeLines(text)
}

// Counts contains the numbers of created, changed and removed settings.
type Counts struct{ Create, Update, Delete int }

// Counts returns the numbers of settings that a change creates, changes and removes.
func (c *Change) Counts() (n Counts) {
	for _, k := range c.Keys {
		switch k.Action {
		case Create:
			n.Create++
		case Update:
			n.Update++
		case Delete:
			n.Delete++
		}
	}
	return n
}
