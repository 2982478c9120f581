// Package looking verifies the devices of a site at an interval, by a [Watch], and publishes what it found as a signed look.
package looking

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamlook"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/cmd/rocecd/internal/mirror"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// Options are those of a watch.
type Options struct {
	Site, State string // its name, and its folder
	Fabric      string // its name
	Mirror      string // folder of a git repository, bare or not
	Folder      string // of the fabric in it; empty: its root
	Every       time.Duration
	Session     func() *session.Session // a new one for each use
	Lab         session.LabFlag
	Parallel    int
	Clock       device.Clock
	Log         *slog.Logger

	Busy func() (run string)    // the run of the fabric that is under way; empty: none
	Lock func() (unlock func()) // keeps others from the devices, if they are simulated
	Sign func(ctx context.Context, st *statement.Statement, body []byte) (*statement.Signed, error)

	Plain func(error) string // an error as the hub may have it
}

// Watch makes the looks of a site at a fabric.
type Watch struct {
	o Options

	mu     sync.Mutex // guards the fields below
	newest *message   // that the hub does not have; nil: it has all
}

// message is a look on its way.
type message struct {
	id   string
	data []byte
}

// New returns a watch that has not looked.
func New(o Options) *Watch { return &Watch{o: o} }

// lookTimeout is how long the read of a device may take.
const lookTimeout = 30 * time.Second

// nextLook returns the time of the next look. The looks of a site are always as long after a multiple of the interval as its name decides.
// So sites do not look all at once, and a site that starts again keeps its times.
func nextLook(site string, every time.Duration, now time.Time) time.Time {
	h := fnv.New64a()
	h.Write([]byte(site)) //nolint:errcheck // a hash never fails
	offset := time.Duration(h.Sum64() % uint64(every))
	at := now.Truncate(every).Add(offset)
	if !at.After(now) {
		at = at.Add(every)
	}
	return at
}

// Run looks at each interval until ctx ends.
func (w *Watch) Run(ctx context.Context) error {
	for {
		now := w.o.Clock.Now()
		select {
		case <-ctx.Done():
			return nil
		case <-w.o.Clock.Wait(nextLook(w.o.Site, w.o.Every, now).Sub(now)):
		}
		if err := w.Look(ctx); err != nil && ctx.Err() == nil {
			w.o.Log.Error("the look cannot be signed", "fabric", w.o.Fabric, "error", err)
		}
	}
}

// Look makes a look, and keeps it for the hub. A look that the hub does not have yet is replaced: only the newest one is of use.
func (w *Watch) Look(ctx context.Context) error {
	l, failed := w.look(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	st := statement.Statement{Verb: statement.Looked, Fabric: w.o.Fabric, Outcome: statement.Complete}
	if failed != nil {
		st.Outcome, st.Why = teamlook.Failed, cmp.Or(w.o.Plain(failed), "the fabric has errors; the log of the site has them")
		w.o.Log.Warn("the look could not be made", "fabric", w.o.Fabric, "why", failed)
	}
	body, err := json.Marshal(l)
	if err != nil {
		return err
	}
	signed, err := w.o.Sign(ctx, &st, body)
	if err != nil {
		return err
	}
	data, err := json.Marshal(signed)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.newest = &message{st.Nonce, data}
	return nil
}

// Send publishes the newest look, if the hub does not have it.
func (w *Watch) Send(ctx context.Context, b *broker.Broker) error {
	w.mu.Lock()
	m := w.newest
	w.mu.Unlock()
	if m == nil {
		return nil
	}
	if _, err := b.Publish(ctx, broker.Subject{Kind: broker.Look, Fabric: w.o.Fabric, Site: w.o.Site}, m.id, m.data); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.newest == m {
		w.newest = nil
	}
	return nil
}

// look verifies the devices of the site at the newest commit of its mirror, unless a run of the fabric is under way here. The error states
// why the look could not be made.
func (w *Watch) look(ctx context.Context) (l *teamlook.Look, err error) {
	l = &teamlook.Look{Every: int(w.o.Every / time.Second), Devices: map[string]int{}}
	if run := w.o.Busy(); run != "" {
		return l, fmt.Errorf("the run %s is under way at this site", run)
	}
	if err := mirror.Fetch(ctx, w.o.Mirror); err != nil {
		w.o.Log.Warn("the mirror cannot be brought up to date", "fabric", w.o.Fabric, "error", err)
		l.Stale = true
	}
	if l.Commit, err = mirror.Newest(ctx, w.o.Mirror); err != nil {
		w.o.Log.Warn("the mirror has no newest commit", "fabric", w.o.Fabric, "error", err)
		return l, errors.New("the mirror of the fabric has no newest commit")
	}
	dir, err := w.folder(ctx, l.Commit)
	if err != nil {
		return l, err
	}
	defer w.o.Lock()()
	f, devices, err := session.OpenSite(w.o.Session(), filepath.Join(dir, filepath.FromSlash(w.o.Folder)), w.o.Fabric, w.o.Site, w.o.Lab)
	if err != nil {
		return l, err
	}
	defer devices.Close(&err)
	l.Began = w.o.Clock.Now().UTC().Truncate(time.Second)
	found := devices.Verify(ctx, dir, f.Tree(), session.VerifyOptions{
		ReadOptions: session.ReadOptions{Parallel: max(w.o.Parallel, 1), Timeout: lookTimeout}, Queries: &session.Queries{},
	})
	if ctx.Err() != nil {
		return l, ctx.Err()
	}
	unlike := session.JudgeHealth(f.Fabric, found.Verification)
	doc := view.VerifyJSON(f, found.Verification, unlike, nil, string(deploy.SinceLast), nil, nil, false)
	fill(l, &doc)
	return l, nil
}

// fill takes counts, codes and names of devices from the document of a verify.
func fill(l *teamlook.Look, doc *view.VerifyDocument) {
	status, found := map[string][]string{}, map[[2]string][]string{}
	for i := range doc.Devices {
		d := &doc.Devices[i]
		status[d.Status] = append(status[d.Status], d.Name)
		for _, one := range d.Findings {
			key := [2]string{cmp.Or(one.Code, view.NoCode), cmp.Or(one.Severity, "error")}
			found[key] = append(found[key], d.Name)
		}
	}
	for _, one := range doc.Seen.Findings {
		key := [2]string{one.Code, one.Severity}
		found[key] = append(found[key], one.Devices...)
	}
	l.Good = doc.Good
	for _, word := range slices.Sorted(maps.Keys(status)) {
		l.Devices[word] = len(status[word])
		if word != view.VerifyGood {
			l.Unlike = append(l.Unlike, teamlook.Set{Status: word, Devices: teamlook.Names(status[word])})
		}
	}
	keys := slices.SortedFunc(maps.Keys(found), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		names := found[key]
		slices.Sort(names)
		f := teamlook.Found{Code: key[0], Severity: key[1], Count: len(names), Devices: teamlook.Names(slices.Compact(names))}
		l.Findings = append(l.Findings, f)
	}
}

// folder returns a folder with the files of a commit, which the next look at another commit replaces. Its path is the same for all commits,
// because the samples of the last verify belong to a path.
func (w *Watch) folder(ctx context.Context, commit string) (string, error) {
	of := filepath.Join(w.o.State, "look")
	parent, err := safefile.MakeFolder(of, 1)
	if err != nil {
		return "", err
	}
	defer parent.Close()
	name := statement.Sum([]byte(w.o.Fabric))[:16]
	dir, mark := filepath.Join(of, name), name+".commit"
	if have, err := parent.ReadFile(mark, 1<<10); err == nil && string(have) == commit {
		return dir, nil
	}
	_ = parent.Remove(mark) // it may be missing
	if err := parent.RemoveAll(name); err != nil {
		return "", err
	}
	folder, err := safefile.MakeFolder(dir, 1)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	if err := mirror.Copy(ctx, w.o.Mirror, commit, folder.MakeFolder, folder.WriteFile); err != nil {
		return "", err
	}
	if err := folder.WriteFile(wholeFile, nil); err != nil {
		return "", err
	}
	return dir, parent.WriteFile(mark, []byte(commit))
}

// wholeFile makes the folder the root of a repository by its name, so that the modules of a fabric may be anywhere in it.
const wholeFile = ".git"
