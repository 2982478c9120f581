package session

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/samples"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// VerifyOptions has the options of [Fleet.Verify].
type VerifyOptions struct {
	ReadOptions
	SinceBoot bool     // compare counters with the start of the devices
	Counters  bool     // ask for all counters of pauses by port and priority, and not only for the states of watchdogs
	Queries   *Queries // further queries
}

// Verified is the result of [Fleet.Verify].
type Verified struct {
	*rollout.Verification
	Start   time.Time
	Counted *Counted // nil: no device was asked
}

// Verify reads the devices, and compares them with the fabric in dir and with the samples of the last verify. It keeps their new samples.
// whole is the tree of the fabric.
func (f *Fleet) Verify(ctx context.Context, dir string, whole *target.Tree, o VerifyOptions) Verified {
	kept := readSamples(f, dir)
	read, end := f.s.Reading()
	o.Limit(&read)
	read.Answered = func(h *deploy.Have) {
		if h.Err == nil { // a second read that fails leaves the answers of the first one
			o.Queries.answered(h)
		}
	}
	v := rollout.VerifyOptions{
		ObserveOptions: read, Clock: rollout.Clock{Now: time.Now, Wait: time.After}, Tool: f.s.Rocec.Tool,
		Kept: kept.samples, SinceBoot: o.SinceBoot,
	}
	if f.Lab != nil {
		v.Interval = time.Second
	}
	found := Verified{Start: time.Now(), Counted: newCounted(o.Queries, f.Tree, o.Counters)}
	found.Verification = rollout.Verify(ctx, f.Dial, o.Queries.on(withSlow(f.Tree)), v)
	end()
	if ctx.Err() != nil {
		return found
	}
	found.Counted.PrintUnread(f.s.Stderr)
	kept.keep(whole, found.Kept)
	return found
}

// keptSamples are the samples of a fabric, kept from one verify to the next.
type keptSamples struct {
	s       *Session
	file    *samples.File // nil: no folder for it
	samples map[string]*deploy.Kept
}

// readSamples reads the samples of the last verify. If it cannot read them, it prints the reason and returns none.
func readSamples(f *Fleet, dir string) *keptSamples {
	k := &keptSamples{s: f.s}
	if f.LabDir == LabFresh { // the lab and its samples end with the command
		return k
	}
	var err error
	if k.file, err = samplesFile(f, dir); err == nil {
		k.samples, err = k.file.Load()
	}
	if err != nil {
		fmt.Fprintf(f.s.Stderr, "rocec: the samples of the last verify cannot be used, so every device is read twice: %s\n",
			diag.Escape(err.Error()))
	}
	return k
}

// samplesFile returns the file with the samples of the fabric in dir. Simulated devices have a separate file.
func samplesFile(f *Fleet, dir string) (*samples.File, error) {
	state, err := f.s.StateDir("samples")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if f.Lab != nil {
		dir = "lab " + f.LabDir + " of " + dir
	}
	return samples.Open(state, dir), nil
}

// keep replaces the samples of the devices that were read, and deletes those of devices that are no longer in the fabric.
func (k *keptSamples) keep(fabric *target.Tree, read map[string]*deploy.Kept) {
	if k.file == nil {
		return
	}
	all := map[string]*deploy.Kept{}
	for _, d := range fabric.Devices {
		if s := cmp.Or(read[d.Name], k.samples[d.Name]); s != nil {
			all[d.Name] = s
		}
	}
	if err := k.file.Save(all); err != nil {
		fmt.Fprintf(k.s.Stderr, "rocec: the samples cannot be kept for the next verify: %s\n", diag.Escape(err.Error()))
	}
}

// withSlow adds the probes to a tree that only verify runs.
func withSlow(tree *target.Tree) *target.Tree {
	out := &target.Tree{}
	for _, d := range tree.Devices {
		asked := *d
		asked.Probes = slices.Concat(d.Probes, d.Slow)
		out.Devices = append(out.Devices, &asked)
	}
	return out
}
