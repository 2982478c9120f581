package session

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate/watchdogs"
)

// Without all counters, devices are asked for the states of their watchdogs alone.
func TestWatchdogQueries(t *testing.T) {
	read := func(_ *ir.Device, answer []byte) ([]ir.PauseCounters, string) {
		return []ir.PauseCounters{{Port: string(answer)}}, "a state is missing"
	}
	counts := &target.Target{Counters: func(*ir.Device) []target.CounterQuery {
		all := commands.Query{Cmd: "all"}
		alone := &target.CounterQuery{Query: commands.Query{Cmd: "watchdogs"}, Read: read}
		return []target.CounterQuery{{Query: all, Read: read}, {Query: all, Watchdogs: alone, Read: read}}
	}}
	without := &target.Target{Counters: func(*ir.Device) []target.CounterQuery { return []target.CounterQuery{{Read: read}} }}
	leaf, at := &ir.Device{Name: "leaf1"}, time.Date(2026, 11, 27, 10, 2, 0, 0, time.UTC)
	q := &Queries{}
	c := newCounted(q, &target.Tree{Devices: []*target.Device{
		{Name: "leaf1", Target: counts, Source: leaf},
		{Name: "leaf2", Target: counts, Source: &ir.Device{}},
		{Name: "host1", Target: without, Source: &ir.Device{}},
		{Name: "of a run", Target: counts},
	}}, false)
	require.Empty(t, q.of["host1"])
	require.Empty(t, q.of["of a run"])
	require.Equal(t, []target.Query{{Cmd: "watchdogs"}}, q.of["leaf1"][0].queries)
	q.of["leaf1"][0].take([]Reply{{Text: []byte("swp1")}})
	q.of["leaf2"][0].take([]Reply{{Err: "timeout"}})
	require.Equal(t, []*watchdogs.Counters{{Of: leaf, Rows: []ir.PauseCounters{{Port: "swp1"}}, When: at}}, c.Watchdogs(at))
	var stderr bytes.Buffer
	c.PrintUnread(&stderr)
	require.Equal(t, "rocec: counters of leaf1 are missing: a state is missing\nrocec: counters of leaf2 are missing: timeout\n",
		stderr.String())
}

// A query for counters that fails, and an answer without counters, are printed with their devices. The other counters of the device stay.
func TestCounters(t *testing.T) {
	counter := func(n int) ir.PauseCounters { return ir.PauseCounters{Port: "swp1", Priority: n} }
	query := func(n int) target.CounterQuery {
		return target.CounterQuery{Query: commands.Query{Cmd: "count"}, Read: func(_ *ir.Device, answer []byte) ([]ir.PauseCounters, string) {
			if len(answer) == 0 {
				return nil, "the answer is empty"
			}
			return []ir.PauseCounters{counter(n)}, ""
		}}
	}
	counts := &target.Target{Counters: func(*ir.Device) []target.CounterQuery { return []target.CounterQuery{query(0), query(1)} }}
	tree := &target.Tree{}
	for _, name := range []string{"leaf1", "leaf2", "leaf3", "leaf4"} {
		tree.Devices = append(tree.Devices, &target.Device{Name: name, Target: counts, Source: &ir.Device{}})
	}
	tree.Devices = append(tree.Devices, &target.Device{Name: "host1", Target: &target.Target{}})

	q := &Queries{}
	c := newCounted(q, tree, true)
	for name, answers := range map[string][]Reply{ // leaf4 was not read
		"leaf1": {{Text: []byte("1")}, {Text: []byte("1")}},
		"leaf2": {{Text: []byte("1")}, {Err: "The probe could not run: no such program."}},
		"leaf3": {{}, {}},
	} {
		require.Len(t, q.of[name], 1)
		q.of[name][0].take(answers)
		q.of[name][0].take(answers) // a second read replaces the first one
	}
	require.Equal(t, []ir.PauseCounters{counter(0), counter(1)}, c.Of("leaf1"))
	require.Equal(t, []ir.PauseCounters{counter(0)}, c.Of("leaf2"))
	for _, name := range []string{"leaf3", "leaf4", "host1", "none"} {
		require.Empty(t, c.Of(name))
	}
	require.Empty(t, (*Counted)(nil).Of("leaf1"))

	var stderr bytes.Buffer
	c.PrintUnread(&stderr)
	require.Equal(t, "rocec: counters of leaf2 are missing: The probe could not run: no such program.\n"+
		"rocec: counters of leaf3 are missing: the answer is empty\n", stderr.String())
}
