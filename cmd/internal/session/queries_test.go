package session

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// Queries run after the other probes of a device, and their results are no part of the verdict. A query that fails leaves the answers of
// the other ones, and each read gives its own answers.
func TestQueries(t *testing.T) {
	var first, second [][]Reply
	q := &Queries{}
	q.Add("leaf1", []target.Query{{Cmd: "a"}, {Cmd: "b"}}, func(all []Reply) { first = append(first, all) })
	q.Add("leaf1", []target.Query{{Cmd: "c"}}, func(all []Reply) { second = append(second, all) })
	own := target.Probe{Name: "links", Query: commands.Query{Cmd: "own"}}
	tree := &target.Tree{Devices: []*target.Device{{Name: "leaf1", Probes: []target.Probe{own}}, {Name: "leaf2"}}}
	asked := q.on(tree)
	require.Len(t, tree.Devices[0].Probes, 1, "the tree is not changed")
	require.Empty(t, asked.Devices[1].Probes)
	probes := asked.Devices[0].Probes
	var order []string
	for _, p := range probes {
		order = append(order, p.Query.Cmd)
	}
	require.Equal(t, []string{"own", "a", "b", "c"}, order)

	// read answers the queries that are in texts; the other ones fail.
	read := func(texts map[string]string) {
		links := deploy.Judged{Name: "links", Wrong: []string{"swp1 has no link."}}
		h := &deploy.Have{Device: asked.Devices[0], Probes: []deploy.Judged{links}}
		for _, p := range probes[1:] {
			j := deploy.Judged{Name: p.Name}
			if text, is := texts[p.Query.Cmd]; is {
				require.Empty(t, p.Judge([]byte(text)))
			} else {
				j.Wrong = []string{"The probe could not run."}
			}
			h.Probes = append(h.Probes, j)
		}
		q.answered(h)
		require.Equal(t, []deploy.Judged{links}, h.Probes)
	}
	read(map[string]string{"a": "1", "c": "3"})
	read(map[string]string{"b": "2"})
	q.answered(&deploy.Have{Device: asked.Devices[0], Err: &deploy.Error{Detail: "no route"}})
	text := func(s string) Reply { return Reply{Text: []byte(s)} }
	failed, lost := Reply{Err: "The probe could not run."}, Reply{Err: "no route"}
	require.Equal(t, [][]Reply{{text("1"), failed}, {failed, text("2")}, {lost, lost}}, first)
	require.Equal(t, [][]Reply{{text("3")}, {failed}, {lost}}, second)
}

// Ask asks only the devices with queries, and nothing but the queries. A device that cannot be reached gives its error as each answer.
func TestQueriesAlone(t *testing.T) {
	var got []Reply
	q := &Queries{}
	defer q.Close()
	q.Add("leaf1", []target.Query{{Cmd: "a"}, {Cmd: "b"}}, func(all []Reply) { got = all })
	q.Add("other", []target.Query{{Cmd: "c"}}, func([]Reply) { t.Fatal("it is not in the tree") })
	whole := &target.Tree{Devices: []*target.Device{
		{Name: "leaf1", Files: []target.File{{Path: "/etc/x"}}, Probes: []target.Probe{{Name: "links"}}}, {Name: "leaf2"},
	}}
	dial := func(_ context.Context, d *target.Device) (target.Conn, error) {
		require.Empty(t, d.Files)
		require.Len(t, d.Probes, 2)
		return nil, errors.New("no route")
	}
	have := q.Ask(t.Context(), dial, whole, rollout.ObserveOptions{})
	require.Len(t, have, 1)
	require.Len(t, got, 2)
	require.Contains(t, got[0].Err, "no route")
	require.Equal(t, got[0], got[1])
}
