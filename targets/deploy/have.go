package deploy

import (
	"slices"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// Observed contains the states that were read from the devices of a tree, in the order of the tree.
type Observed struct{ Devices []*Have }

// Tree returns the devices that were read. Each device also has the files that were found on it and should not be there.
func (o *Observed) Tree() *target.Tree {
	t := &target.Tree{Devices: make([]*target.Device, len(o.Devices))}
	for i, h := range o.Devices {
		t.Devices[i] = h.Device
	}
	return t
}

// Have is the state that was read from one device.
type Have struct {
	Device  *target.Device
	Err     *Error     // the device could not be read; everything below is empty then
	Wrong   []string   // result of Identity: why this is another device than the fabric declares
	Files   []Content  // in the order of Device.Files
	HostKey string     // fingerprint of its host key, see target.Conn; empty: not reached, or an old ssh does not report it
	Lock    *Owner     // the run that holds the device's lock; nil: none, or not readable
	Marked  *Owner     // the run that changes neighbours and has marked the device; nil: none
	Count   int        // number of the runs that have written to the device; -1: not readable
	Unseen  bool       // locks and runs were not readable, because that needs root
	Gate    *Gate      // of the device; nil: no gate, or this login may not call it
	Free    bool       // the login is root there, or becomes it without the gate
	Runs    []RunMark  // runs with leftovers on the device, except the holder of the lock
	Over    []RunMark  // runs that have ended on the device, with their results
	Notes   []Note     // notes of the latest ten kept runs on the device
	Rights  []RightsOf // rights of folders and of rocec's state that let users other than root write
	Unnamed int        // number of further rights, beyond the limit of a read
	Pending []string   // files that an apply wrote and that were never seen in use
	Boot    string     // boot ID; empty: the device has no boot ID
	Uptime  float64    // seconds since boot; 0: not known
	Watched []Watched  // in the order of Device.Watches
	Probes  []Judged   // in the order of Device.Probes, if they were asked for

	Seen *target.Seen // nil: not asked for, or not readable
}

// Watched contains the findings and facts of a watch on a device.
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

// Sound reports whether the watch found only notices.
func (w *Watched) Sound() bool { return w.soundBut(nil) }

// soundBut is Sound that ignores findings with the given codes.
func (w *Watched) soundBut(code func(string) bool) bool {
	return !slices.ContainsFunc(w.Found, func(d *diag.Diagnostic) bool {
		return d.Severity != diag.Notice && (code == nil || !code(d.Code))
	})
}

// Content is the content that was read from the path of one file.
type Content struct {
	Data   []byte  // nil: there is no file; empty: the file is empty
	Reason string  // why the file could not be read; empty: it was read
	Rights *Rights // nil: there is no file, or its rights are not known
	Sum    string  // hash of an unwanted content that was not read itself (Data is nil); otherwise empty
}

// Note is the record that a run writes on a device when the change is kept. It contains the version of rocec and the intent.
type Note struct {
	Tool   string // version of rocec
	Intent string // see [target.Device.Intent]
	Holds  string // see [Holds]
}

// RunMark is a run that a device keeps data of.
type RunMark struct {
	Run    string
	Mark   txn.Mark      // progress of the run on the device
	Until  time.Duration // time until the device undoes the run, by its own timer; 0: it does not, or not known
	Undoes string        // for a kept rollback: the run that it undid
	Who    string        // who started that rollback
}

// Judged is the result of a probe.
type Judged struct {
	Name    string
	Wrong   []string // the errors, as full sentences; nil: no error
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
