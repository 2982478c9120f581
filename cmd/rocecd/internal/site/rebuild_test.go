package site

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// shares returns what a reader who begins now knows about a run.
func (w *team) shares(run string) string {
	w.t.Helper()
	r := w.queue().Run(run)
	if r == nil {
		return ""
	}
	var out strings.Builder
	fmt.Fprintln(&out, r.Number, r.Epoch, r.By)
	for _, s := range r.Shares {
		fmt.Fprintln(&out, s.Site, s.Outcome, s.Why, s.Over, s.Head)
		for n := s.First; n <= s.Last; n++ {
			if wave := s.Waves[n]; wave != nil {
				fmt.Fprintln(&out, n, wave.Outcome, wave.Devices, wave.Why, wave.Ended)
			}
		}
	}
	return out.String()
}

// TestRebuild: a hub that has lost its store, or has the one of yesterday, gets from the sites what they have kept. A new reader knows the
// same as before, also of a run that failed and was resumed, and the sites go on with the next run.
func TestRebuild(t *testing.T) {
	t.Parallel()
	for _, older := range []bool{false, true} {
		t.Run(fmt.Sprint("yesterday's store ", older), func(t *testing.T) {
			if older {
				machinetest.Long(t) // cmd/rocecd tests it with processes
			}
			t.Parallel()
			w := newTeam(t)
			store, copied := filepath.Join(w.dir, "store"), filepath.Join(w.dir, "yesterday")
			saved := w.plan(nil, "dc1", "dc2")
			if older {
				w.hub.Stop()
				require.NoError(t, os.CopyFS(copied, os.DirFS(store)))
				w.up()
				require.Eventually(t, w.persons.Connected, time.Minute, 50*time.Millisecond)
			}
			w.stop("dc1")
			fails := filepath.Join(w.dir, "fails")
			require.NoError(t, os.WriteFile(fails, nil, 0o600))
			w.sites["dc1"].drain = []string{"/bin/sh", "-c", `test "$ROCEC_DEVICES" != a1 || test ! -e ` + fails}
			w.start("dc1")
			digest := w.submit(run1, w.envelope(saved, nil))
			require.Contains(t, w.story(run1), "dc1 ended 1 complete\ndc1 began 2\ndc1 ended 2 stopped")
			require.NoError(t, os.Remove(fails))
			w.says("carol", broker.Subject{Kind: broker.Say, Fabric: "prod", Run: run1},
				statement.Statement{Verb: statement.Resume, Run: run1, Digest: digest}, nil)
			require.Eventually(t, func() bool { return strings.Count(w.said(run1), "over complete") == 2 }, time.Minute, 100*time.Millisecond)
			lines := w.wholeEvents("dc1", run1) + w.wholeEvents("dc2", run1)
			before := w.shares(run1)

			w.hub.Stop()
			require.NoError(t, os.RemoveAll(store))
			if older {
				require.NoError(t, os.Rename(copied, store))
			}
			w.up()
			require.Eventually(t, w.persons.Connected, time.Minute, 50*time.Millisecond)
			for _, site := range []string{"dc1", "dc2"} {
				require.Eventually(t, func() bool {
					return strings.Contains(w.sites[site].Status().Trouble, "rocecd rebuild --after ")
				}, time.Minute, 50*time.Millisecond)
			}
			require.Empty(t, w.shares(run1))
			require.Equal(t, lines, w.rebuild(t, 2), "with the submission and the resume")
			require.Equal(t, before, w.shares(run1))
			require.Equal(t, lines, w.wholeEvents("dc1", run1)+w.wholeEvents("dc2", run1))
			require.Equal(t, lines, w.rebuild(t, 2)) // twice does no harm
			require.Equal(t, before, w.shares(run1))

			for _, site := range []string{"dc1", "dc2"} {
				w.stop(site)
				require.NoError(t, os.RemoveAll(filepath.Join(w.sites[site].state, "lab")))
				w.start(site)
			}
			w.submit(run2, w.envelope(w.plan(nil, "dc1", "dc2"), nil))
			requireWhole(t, w.story(run2))
		})
	}
}

// rebuild does what rocecd rebuild does on the hub and on each site, which has kept a number of messages of persons.
func (w *team) rebuild(t *testing.T, records int) (lines int) {
	t.Helper()
	sites := []string{"dc1", "dc2"}
	var kept []*Archive
	after := uint64(0)
	for _, site := range sites {
		k, err := ReadArchive(w.sites[site].state)
		require.NoError(t, err)
		kept, after = append(kept, k), max(after, k.Last)
	}
	hub := w.as("rebuild", keys.Hub)
	last, err := hub.Last(t.Context())
	require.NoError(t, err)
	if last < after {
		_, err = hub.Advance(t.Context(), after)
		require.NoError(t, err)
		last, err = hub.Last(t.Context())
		require.NoError(t, err)
		require.Equal(t, after, last)
	}
	_, err = hub.Advance(t.Context(), last-1)
	require.ErrorContains(t, err, "its numbers cannot go on")
	for i, site := range sites {
		o := w.place(site).options(testLog{t, site}, nil)
		b, err := o.Connect()
		require.NoError(t, err)
		p, err := kept[i].Publish(t.Context(), &o, b)
		require.NoError(t, err)
		require.Equal(t, records, p.Records, site)
		lines += p.Lines
		b.Close()
	}
	return lines
}

// TestShortened: the folder of a site drops what it needs no more, and nothing that the hub lacks; the number that it has seen stays.
func TestShortened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "team")
	now := time.Now().UTC().Truncate(time.Second)
	open := func(at time.Time) *book {
		b, err := openBook(dir, at)
		require.NoError(t, err)
		return b
	}
	size := func(name string) int64 {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		return info.Size()
	}
	b := open(now)
	say := func(verb statement.Verb, n int) {
		st := statement.Statement{
			Verb: verb, Fabric: "prod", Run: run1, Digest: statement.Sum(nil), Site: "dc1", At: now, Nonce: fmt.Sprintf("%020d", n),
		}
		text, err := st.Text()
		require.NoError(t, err)
		signed := &statement.Signed{Text: string(text), Body: make([]byte, 10<<10)}
		require.NoError(t, b.speak(broker.Subject{Kind: broker.Wave, Fabric: "prod", Run: run1, Site: "dc1"}, &st, signed))
	}
	for n := range 30 {
		verb := statement.Share
		if n%10 == 9 {
			verb = statement.Taken
		}
		say(verb, n)
		require.NoError(t, b.keep([]teamqueue.Accepted{{Message: &broker.Message{Number: uint64(n + 1), At: now, Data: []byte("{}")}}}))
	}
	b.cursor.Said = 25
	require.NoError(t, b.sent())
	all := size(outFile)
	ids := func() (out []string) {
		for _, s := range b.said {
			require.True(t, len(out) < b.cursor.Said || json.Valid(s.Data), "what the hub lacks has its data")
			out = append(out, strings.TrimLeft(s.ID, "0"))
		}
		return out
	}
	b.close()
	b = open(now.Add(time.Minute))
	require.Len(t, b.said, 30)
	require.Len(t, b.messages, 30)
	b.close()
	b = open(now.Add(2 * time.Hour)) // the answers that the hub has are over
	require.Equal(t, []string{"9", "19", "25", "26", "27", "28", "29"}, ids())
	require.Equal(t, 2, b.cursor.Said)
	require.Less(t, size(outFile), all/3)
	require.Len(t, b.messages, 30)
	say(statement.Taken, 30)
	b.close()
	b = open(now.Add(keepTime + time.Hour))
	require.Equal(t, []string{"25", "26", "27", "28", "29", "30"}, ids())
	require.Zero(t, b.cursor.Said)
	require.Len(t, b.messages, 1)
	require.EqualValues(t, 30, b.messages[0].Number)
	require.EqualValues(t, 1, strings.Count(read(t, filepath.Join(dir, inFile)), "\n"))

	require.False(t, b.grown())
	for n := range 200 { // while the worker works
		say(statement.Share, 100+n)
	}
	require.False(t, b.grown(), "the hub lacks them")
	b.cursor.Said = len(b.said)
	require.True(t, b.grown())
	require.NoError(t, b.shorten(now.Add(2*time.Hour)))
	require.False(t, b.grown())
	require.Equal(t, []string{"30"}, ids()[len(b.said)-1:])
	say(statement.Taken, 400)
	b.close()
	b = open(now.Add(2 * time.Hour))
	require.Equal(t, "400", ids()[len(b.said)-1])
	require.Len(t, b.said, b.cursor.Said+1)
	b.close()

	require.NoError(t, os.Truncate(filepath.Join(dir, outFile), maxBook+1))
	_, err := openBook(dir, now)
	require.ErrorContains(t, err, "more than 4 GiB")
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}
