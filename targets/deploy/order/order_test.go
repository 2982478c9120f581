package order

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/targets/commands"
)

// TestTree has a path from each leaf of any number of devices to the root. No other change, and no change with another path, fits the root.
func TestTree(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 20; n++ {
		var changes []*Change
		for i := range n {
			changes = append(changes, &Change{Run: "run-1", Device: fmt.Sprintf("leaf%02d", i)})
		}
		tree := NewTree(changes)
		s := &Statement{Run: "run-1", Root: tree.Root()}
		for i := range n {
			e := tree.Envelope(i)
			c, err := e.Leaf(s)
			require.NoError(t, err, "%d of %d", i, n)
			require.Equal(t, changes[i], c)
			other := *e
			other.Change, _ = json.Marshal(&Change{Run: "run-1", Device: "evil"})
			_, err = other.Leaf(s)
			require.ErrorContains(t, err, "does not cover")
			if n > 1 {
				other = *tree.Envelope((i + 1) % n)
				other.Change = e.Change
				_, err = other.Leaf(s)
				require.ErrorContains(t, err, "does not cover", "%d of %d", i, n)
			}
		}
	}
}

// TestInnerNode gives the hash of two leaves as a leaf. A node is no leaf, because their first bytes differ.
func TestInnerNode(t *testing.T) {
	t.Parallel()
	tree := NewTree([]*Change{{Device: "a"}, {Device: "b"}, {Device: "c"}, {Device: "d"}})
	e := tree.Envelope(0)
	inner := append(append([]byte{}, leaf(tree.leaves[0])...), leaf(tree.leaves[1])...)
	e.Change, e.Path = inner, e.Path[1:]
	_, err := e.Leaf(&Statement{Root: tree.Root()})
	require.ErrorContains(t, err, "does not cover")
}

// TestStatement reads back the text that it writes, and no other.
func TestStatement(t *testing.T) {
	t.Parallel()
	s := &Statement{Run: "20261130t010203z-3f9a", Until: time.Date(2026, 12, 1, 1, 2, 3, 0, time.UTC), Root: strings.Repeat("ab", 32)}
	got, err := ParseStatement(s.Text())
	require.NoError(t, err)
	require.Equal(t, s, got)
	for _, text := range []string{
		"", heading, heading + "\nrun a\nuntil 2026-12-01T01:02:03Z",
		"rocec order 2\n" + strings.Join(strings.Split(string(s.Text()), "\n")[1:], "\n"), string(s.Text()) + "more\n",
		strings.Replace(string(s.Text()), "run ", "", 1), strings.Replace(string(s.Text()), "Z\n", "+00:00\n", 1),
		strings.Replace(string(s.Text()), "\n", "\r\n", -1), strings.TrimSpace(string(s.Text())),
	} {
		_, err := ParseStatement([]byte(text))
		assert.Error(t, err, "%q", text)
	}
}

// TestRoot has the hashes of RFC 6962, 2.1, so that every release signs the same.
func TestRoot(t *testing.T) {
	t.Parallel()
	tree := NewTree([]*Change{{Run: "a"}, {Run: "b"}})
	above := []byte{1}
	for i := range 2 {
		sum := sha256.Sum256(append([]byte{0}, tree.Envelope(i).Change...))
		above = append(above, sum[:]...)
	}
	require.Equal(t, commands.Sum(above), tree.Root())
}

// TestParse reads an order of the largest size, with nothing after its end and no unknown member.
func TestParse(t *testing.T) {
	t.Parallel()
	whole := NewTree([]*Change{{Run: "a"}}).Envelope(0).Bytes()
	const most = 48 << 20
	longest := append(whole, bytes.Repeat([]byte{' '}, most-len(whole))...)
	_, err := Parse(longest)
	require.NoError(t, err)
	_, err = Parse(append(longest, ' '))
	require.EqualError(t, err, "the order is larger than 48 MiB")
	_, err = Parse(append(whole[:len(whole):len(whole)], "{}"...))
	require.EqualError(t, err, "it is no order: there is data after its end")
	_, err = Parse([]byte(`{"evil":1}`))
	require.ErrorContains(t, err, "evil")
}

// TestPath refuses a path of hashes in another form, also where the hash of the change alone is the root.
func TestPath(t *testing.T) {
	t.Parallel()
	tree := NewTree([]*Change{{Run: "a"}, {Run: "b"}})
	sum := strings.Repeat("ab", 32)
	for _, path := range [][]string{
		{""}, {"L"}, {"L" + sum[2:]}, {"L" + sum + "00"}, {"L" + strings.Repeat("zz", 32)}, slices.Repeat([]string{"L" + sum}, 65),
	} {
		e := tree.Envelope(0)
		e.Path = path
		_, err := e.Leaf(&Statement{Root: tree.Root()})
		require.EqualError(t, err, "its path of hashes is damaged", "%.80q", path)
	}
	e := tree.Envelope(0)
	e.Path = slices.Repeat([]string{"L" + sum}, 64)
	_, err := e.Leaf(&Statement{Root: tree.Root()})
	require.ErrorContains(t, err, "does not cover")
}

func FuzzParseStatement(f *testing.F) {
	f.Add("rocec order 1\nrun a\nuntil 2026-12-01T01:02:03Z\nroot ab\n")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseStatement([]byte(text)); err == nil {
			require.Equal(t, text, string(s.Text()))
		}
	})
}

// FuzzParse reads any bytes as an order. It refuses members that it does not know, and data after the end.
func FuzzParse(f *testing.F) {
	whole, err := json.Marshal(NewTree([]*Change{{Run: "a"}, {Run: "b"}}).Envelope(1))
	require.NoError(f, err)
	for _, text := range []string{string(whole), string(whole) + "{}", `{"evil":1}`, "null", "[]", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse([]byte(text))
		if err != nil {
			return
		}
		if _, err := e.Leaf(&Statement{Root: strings.Repeat("0", 64)}); err == nil {
			t.Fatal("an order fits a root that no tree has")
		}
	})
}

// TestPayload reads back any items as begin.sh does: a line with the name and the size or the text, and then the bytes.
func TestPayload(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Item {
			return Item{
				rapid.SampledFrom([]string{"run", "up.0", "step.00/cmd"}).Draw(t, "name"),
				[]byte(rapid.StringOf(rapid.SampledFrom([]rune("ab \n\t=0\x00ü"))).Draw(t, "data")),
			}
		})).Draw(t, "items")
		rest := string(Payload(items))
		for _, it := range items {
			line, after, ok := strings.Cut(rest, "\n")
			require.True(t, ok)
			name, size, _ := strings.Cut(line, " ")
			require.Equal(t, it.Name, name)
			if text, short := strings.CutPrefix(size, "="); short {
				require.Equal(t, string(it.Data), text+"\n")
				require.Equal(t, text, strings.TrimRight(text, " \t"), "read of a shell drops blanks at the end")
				rest = after
				continue
			}
			var n int
			_, err := fmt.Sscan(size, &n)
			require.NoError(t, err)
			require.Equal(t, string(it.Data), after[:n])
			rest = after[n:]
		}
		require.Empty(t, rest)
	})
}

// TestItems has the files of a run for each part of a change.
func TestItems(t *testing.T) {
	t.Parallel()
	content := []byte("new\n")
	c := &Change{
		Run: "run-1", Key: "ab12", Need: 64, Back: true, Digest: "dd", Note: "0.2 ii hh",
		Files: []FileChange{
			{Path: "/etc/a", Base: commands.Absent, Target: commands.Sum(content), Mode: 0o644, Replaces: true, Check: "x"},
			{Path: "/etc/b", Base: "b", Target: commands.Absent, Mode: 0o755, Replaces: true},
			{Path: "/etc/c", Base: "c", Target: "c", Mode: 0o600},
		},
		Lives: []Live{{State: "nic/a", Query: "q"}},
		Steps: []NamedStep{{Name: "s", Again: true, States: []int{0}}, {Name: "t"}},
	}
	got := map[string]string{}
	for _, it := range c.Items(&Parts{
		Script: "script", Checks: []string{"check", "", ""}, Lives: []commands.Query{{Cmd: "look", Stdin: []byte("in")}},
		About: "about\n", First: 3, Later: 4,
		Steps: []commands.Step{
			{
				Cmd: "do", Stdin: "data", Undo: &commands.Query{Cmd: "undo", Stdin: []byte("u")}, Loaded: &commands.Query{Cmd: "in use"}, Keep: "keep",
				Units: "a.service", Timeout: 90 * time.Second,
			},
			{Cmd: "more"},
		},
		Content: func(string) []byte { return content },
	}) {
		require.NotContains(t, got, it.Name)
		got[it.Name] = string(it.Data)
	}
	require.Equal(t, map[string]string{
		"run": "script", "key": "ab12\n", "check.0": "check\n", "up.0": "new\n", "back": "", "live.0": "look\n", "live.0.in": "in",
		"files": "0 absent " + commands.Sum(content) + " 644 /etc/a\n1 b absent 755 /etc/b\n2 c c 600 /etc/c\n", "lives": "0 nic/a\n",
		"step.00/cmd": "do\n", "step.00/cmd.in": "data", "step.00/time": "90\n", "step.00/loaded": "in use\n", "step.00/again": "",
		"step.00/keep": "keep\n", "step.00/undo": "undo\n", "step.00/undo.in": "u", "step.00/states": "0 nic/a\n", "step.01/cmd": "more\n",
		"step.01/time": "60\n", "about": "about\n", "digest": "dd\n", "note": "0.2 ii hh\n", "need": "64\n", "units": " a.service\n",
		"first": "3\n", "later": "4\n", "end": "",
	}, got)
}
