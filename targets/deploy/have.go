package deploy

import (
	"slices"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// Observed is the state that was read of the devices of a tree, in the order of the tree.
type Observed struct{ Devices []*Have }

// Tree is the devices that were read, each with the files it turned out to hold and should not.
func (o *Observed) Tree() *target.Tree {
	t := &target.Tree{Devices: make([]*target.Device, len(o.Devices))}
	for i, h := range o.Devices {
		t.Devices[i] = h.Device
	}
	return t
}

// Have is the state that was read of one device.
type Have struct {
	Device  *target.Device
	Err     *Error     // the device could not be read; everything below is empty then
	Wrong   []string   // Identity's judgement: why this is not the device the fabric means
	Files   []Content  // in the order of Device.Files
	HostKey string     // fingerprint of the key it answered with, see target.Conn; empty: it was not reached, or an old ssh does not tell
	Lock    *Owner     // the run that holds its lock; nil: none, or it could not be seen
	Marked  *Owner     // the run that goes on beside it and has marked it; nil: none
	Count   int        // of the runs that have written there; -1: it could not be seen
	Unseen  bool       // locks and runs could not be looked for, as that takes root
	Runs    []RunMark  // runs that left something there, without the holder of the lock
	Over    []RunMark  // runs that are over there, with their fates
	Notes   []Note     // the notes of kept runs there, the latest ten of them
	Rights  []RightsOf // of folders and of rocec's state, where others than root may write
	Unnamed int        // further ones, beyond those that a read keeps
	Pending []string   // files that an apply wrote and never saw in use
	Boot    string     // boot ID; empty: the device has no boot ID
	Uptime  float64    // seconds since boot; 0: not known
	Watched []Watched  // in the order of Device.Watches
	Probes  []Judged   // in the order of Device.Probes, when they were asked for

	Seen *target.Seen // nil: it was not asked for, or cannot be
}

// Watched holds the findings and facts of a watch on a device.
type Watched struct {
	Name  string
	Found diag.List // at lines of the fabric
	Facts []target.Fact
}

// Facts returns the facts of all watches.
func (h *Have) Facts() []target.Fact {
	var all []target.Fact
	for i := range h.Watched {
		all = append(all, h.Watched[i].Facts...)
	}
	return all
}

// Sound reports whether it found nothing but notices.
func (w *Watched) Sound() bool { return w.soundBut(nil) }

// soundBut is Sound without findings with some codes; nil: with all.
func (w *Watched) soundBut(code func(string) bool) bool {
	return !slices.ContainsFunc(w.Found, func(d *diag.Diagnostic) bool {
		return d.Severity != diag.Notice && (code == nil || !code(d.Code))
	})
}

// Content is the content that was read at the path of one file.
type Content struct {
	Data   []byte  // nil: there is no file; empty: there is an empty one
	Reason string  // why it could not be read; empty: it was
	Rights *Rights // nil: there is no file, or they are not known
	Sum    string  // of other content than the file should have, of which only the hash is known, with Data nil; else empty
}

// Note is the record that a run writes on a device that keeps its change: the version of rocec that wrote it, and the intent.
type Note struct {
	Tool   string // version of rocec
	Intent string // see [target.Device.Intent]
	Holds  string // see [Holds]
}

// RunMark is a run that a device holds something of.
type RunMark struct {
	Run    string
	Mark   txn.Mark      // how far it came there
	Until  time.Duration // until the device goes back from it, by its own timer; 0: it does not, or that is not known
	Undoes string        // of a rollback that was kept: the run it went back from
	Who    string        // who led that rollback
}

// Judged is a probe that ran.
type Judged struct {
	Name    string
	Wrong   []string // the errors, in full sentences; nil: all is well
	Samples []target.Sample
}

// Samples returns the samples of all probes.
func (h *Have) Samples() []target.Sample {
	var all []target.Sample
	for i := range h.Probes {
		all = append(all, h.Probes[i].Samples...)
	}
	return all
}
