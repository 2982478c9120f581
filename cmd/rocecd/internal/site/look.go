package site

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/revision"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamlook"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

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

// looks verifies the devices of this site in a fabric, at each interval.
func (w *Worker) looks(ctx context.Context, fabric string) error {
	for ctx.Err() == nil {
		now := w.o.Clock.Now()
		if err := w.sleep(ctx, nil, nextLook(w.o.Site, w.o.VerifyEvery, now).Sub(now)); err != nil {
			return nil //nolint:nilerr // the worker ends
		}
		l, err := w.look(ctx, fabric)
		if ctx.Err() != nil {
			return nil
		}
		if err := w.keepLook(ctx, fabric, l, err); err != nil {
			w.o.Log.Error("the look cannot be signed", "fabric", fabric, "error", err)
		}
	}
	return nil
}

// look verifies the devices of this site at the newest commit of its mirror, unless a run of the fabric is under way here. The error states
// why the look could not be made.
func (w *Worker) look(ctx context.Context, fabric string) (l *teamlook.Look, err error) {
	l = &teamlook.Look{Every: int(w.o.VerifyEvery / time.Second), Devices: map[string]int{}}
	w.mu.Lock()
	j := w.next(fabric)
	w.mu.Unlock()
	if j != nil {
		return l, fmt.Errorf("the run %s is under way at this site", j.Name)
	}
	of := w.o.Fabrics[fabric]
	fetching.Lock()
	err = fetch(ctx, of.Mirror)
	fetching.Unlock()
	if err != nil {
		w.o.Log.Warn("the mirror cannot be brought up to date", "fabric", fabric, "error", err)
		l.Stale = true
	}
	if l.Commit, err = newest(ctx, of.Mirror); err != nil {
		w.o.Log.Warn("the mirror has no newest commit", "fabric", fabric, "error", err)
		return l, errors.New("the mirror of the fabric has no newest commit")
	}
	dir, err := w.lookFolder(ctx, fabric, l.Commit)
	if err != nil {
		return l, err
	}
	defer w.useLab()()
	s := w.o.Session(nil)
	f, devices, err := s.OpenSite(filepath.Join(dir, filepath.FromSlash(of.Folder)), fabric, w.o.Site, w.o.Change.Lab)
	if err != nil {
		return l, err
	}
	defer devices.Close(&err)
	l.Began = w.o.Clock.Now().UTC().Truncate(time.Second)
	found := devices.Verify(ctx, dir, f.Tree(), session.VerifyOptions{
		ReadOptions: session.ReadOptions{Parallel: max(w.o.Change.Parallel, 1), Timeout: lookTimeout}, Queries: &session.Queries{},
	})
	if ctx.Err() != nil {
		return l, ctx.Err()
	}
	doc := view.VerifyJSON(f, found.Verification, session.JudgeHealth(f.Fabric, found.Verification), nil, string(deploy.SinceLast), nil, nil, false)
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
		f := teamlook.Finding{Code: key[0], Severity: key[1], Count: len(names), Devices: teamlook.Names(slices.Compact(names))}
		l.Findings = append(l.Findings, f)
	}
}

// keepLook signs a look for the hub. A look that the hub does not have yet is replaced: only the newest one is of use.
func (w *Worker) keepLook(ctx context.Context, fabric string, l *teamlook.Look, failed error) error {
	st := statement.Statement{Verb: statement.Looked, Fabric: fabric, Outcome: statement.Complete}
	if failed != nil {
		st.Outcome, st.Why = teamlook.Failed, cmp.Or(plain(failed), "the fabric has errors; the log of the site has them")
		w.o.Log.Warn("the look could not be made", "fabric", fabric, "why", failed)
	}
	body, err := json.Marshal(l)
	if err != nil {
		return err
	}
	signed, err := w.signed(ctx, &st, body)
	if err != nil {
		return err
	}
	data, err := json.Marshal(signed)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked[fabric] = &saying{ID: st.Nonce, Data: data, Subject: broker.Subject{Kind: broker.Look, Fabric: fabric, Site: w.o.Site}}
	w.changed()
	return nil
}

// sendLooks publishes the looks that the hub does not have.
func (w *Worker) sendLooks(ctx context.Context, b *broker.Broker) error {
	w.mu.Lock()
	all := maps.Clone(w.looked)
	w.mu.Unlock()
	for fabric, s := range all {
		if _, err := b.Publish(ctx, s.Subject, s.ID, s.Data); err != nil {
			return err
		}
		w.mu.Lock()
		if w.looked[fabric] == s {
			delete(w.looked, fabric)
		}
		w.mu.Unlock()
	}
	return nil
}

// newest returns the newest commit of a mirror: of the branch that its origin names first, or of its own.
func newest(ctx context.Context, mirror string) (string, error) {
	if commit, err := revision.Resolve(ctx, mirror, "refs/remotes/origin/HEAD"); err == nil {
		return commit, nil
	}
	return revision.Resolve(ctx, mirror, "HEAD")
}

// lookFolder returns a folder with the files of a commit, which the next look at another commit replaces. Its path is the same for all
// commits, because the samples of the last verify belong to a path.
func (w *Worker) lookFolder(ctx context.Context, fabric, commit string) (string, error) {
	of := filepath.Join(w.o.State, "look")
	parent, err := safefile.MakeFolder(of, 1)
	if err != nil {
		return "", onDisk(err)
	}
	defer parent.Close()
	name := statement.Sum([]byte(fabric))[:16]
	dir, mark := filepath.Join(of, name), name+".commit"
	if have, err := parent.ReadFile(mark, 1<<10); err == nil && string(have) == commit {
		return dir, nil
	}
	_ = parent.Remove(mark)
	if err := parent.RemoveAll(name); err != nil {
		return "", onDisk(err)
	}
	folder, err := safefile.MakeFolder(dir, ownFolders)
	if err != nil {
		return "", onDisk(err)
	}
	defer folder.Close()
	if err := writeCommit(ctx, w.o.Fabrics[fabric].Mirror, commit, folder); err != nil {
		return "", err
	}
	return dir, onDisk(parent.WriteFile(mark, []byte(commit)))
}
