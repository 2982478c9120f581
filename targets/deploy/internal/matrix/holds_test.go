//go:build linux

package matrix

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// holds is the state of a device, read without rocec.
type holds struct {
	files  map[string]string // by path: SHA-256, or "absent"
	loaded string            // SHA-256 of what switchd has loaded; empty: no switchd
	live   string            // the settings of the NIC; empty: no NIC
	mark   string            // mark of the run with the most progress; "absent": there is no run
	boot   string            // boot id
	left   []string          // files of rocec that a finished run removes
	dcbx   string            // the side that runs DCBX; dcb cannot return it to the firmware
	busy   []string          // timers, units and processes of rocec
}

// question is a script that prints the whole state of a device. %s stands for the paths of files.
const question = `
for f in %s; do
	if [ -e "$f" ]; then sum=$(sha256sum <"$f"); echo "file $f ${sum%%%% *}"; else echo "file $f absent"; fi
done
if [ -e /run/switchd/loaded ]; then echo "loaded $(cat /run/switchd/loaded)"; fi
if [ -d /run/nics ]; then
	{
		for what in pfc ets app; do dcb $what show dev ens1f0; done
		ethtool -a ens1f0
		cat /sys/kernel/config/rdma_cm/*/ports/1/*
		ls /etc/systemd/system/sys-subsystem-net-devices-ens1f0.device.wants 2>/dev/null
	} | sort | sed 's/^/live /'
	echo "dcbx $(dcb dcbx show dev ens1f0)"
fi
echo "boot $(cat /proc/sys/kernel/random/boot_id)"
cd /var/lib/rocec 2>/dev/null && for f in txn-*/state.*; do
	if [ -e "$f" ]; then echo "mark ${f##*/state.}"; fi
done
for f in /var/lib/rocec/backup/*/ended; do
	if [ -e "$f" ]; then echo "ended $(cut -d ' ' -f 1 "$f")"; fi
done
for f in /var/lib/rocec/txn-* /var/lib/rocec/lock /var/lib/rocec/pending* /etc/systemd/system/rocec-undo-* /etc/systemd/system/*/rocec-undo-*; do
	if [ -e "$f" ] || [ -h "$f" ]; then echo "left $f"; fi
done
for f in %s; do
	d=${f%%/*}
	for t in "$d"/.rocec-*; do if [ -e "$t" ]; then echo "left $t"; fi; done
done
systemctl list-units --all --plain --no-legend --state=active,activating,deactivating,failed 'rocec-undo-*' | sed 's/ .*//; s/^/busy /'
for p in /proc/[0-9]*; do
	case $(tr '\0' ' ' <"$p/cmdline" 2>/dev/null) in */run\ undo\ * | *undo\ timer\ rocec* | */run\ body*) echo "busy process ${p#/proc/}" ;; esac
done
`

// look asks.
func look(d *nspawn.Device, files []string) (*holds, error) {
	list := strings.Join(files, " ")
	out, err := d.Exec(fmt.Sprintf(question, list, list))
	if err != nil {
		return nil, err
	}
	h := &holds{files: map[string]string{}, mark: "absent"}
	ended := "" // the last run
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "file":
			name, sum, _ := strings.Cut(value, " ")
			h.files[name] = sum
		case "loaded":
			h.loaded = value
		case "live":
			h.live += value + "\n"
		case "dcbx":
			h.dcbx = value
		case "boot":
			h.boot = value
		case "mark":
			h.mark = value
		case "ended":
			ended = value
		case "left":
			h.left = append(h.left, value)
		case "busy":
			h.busy = append(h.busy, value)
		}
	}
	if h.mark == "absent" && slices.Contains(undecided, ended) {
		h.mark = ended // of a run that has released its lock
	}
	h.left = slices.Compact(slices.Sorted(slices.Values(h.left)))
	return h, nil
}

// open reports whether there is a run that is neither kept nor undone.
func (h *holds) open() bool { return h.mark == "armed" || h.mark == "loaded" || h.mark == "undoing" }

func (h *holds) String() string {
	var b strings.Builder
	for _, f := range slices.Sorted(maps.Keys(h.files)) {
		fmt.Fprintf(&b, "%s %.8s; ", path.Base(f), h.files[f])
	}
	if h.loaded != "" {
		fmt.Fprintf(&b, "loaded %.8s; ", h.loaded)
	}
	fmt.Fprintf(&b, "mark %s; left %v; busy %v", h.mark, h.left, h.busy)
	if h.live != "" {
		fmt.Fprintf(&b, "; live\n%s", h.live)
	}
	return b.String()
}

// quiet waits until a device is at rest: its run has ended or waits for a person, and no process of rocec runs on the device. A lasting
// fault may prevent that. In this case quiet returns the last state of the device.
func quiet(ctx context.Context, d *nspawn.Device, files []string) (*holds, error) {
	most := d.Slowed(2*stepTime + deadMan + 2*stepTime + 10*time.Second) // the first timer, the undo, and other short steps
	for end := time.Now().Add(most); ; {
		// While the mark is open, the test does not run question, because question starts about forty processes on the device.
		for waits(d) && time.Now().Before(end) && ctx.Err() == nil {
			time.Sleep(50 * time.Millisecond)
		}
		h, err := look(d, files)
		if err != nil || !h.open() && len(processes(h.busy)) == 0 || time.Now().After(end) || ctx.Err() != nil {
			return h, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// waits reports whether a run on a device is neither kept nor undone, only by its mark.
func waits(d *nspawn.Device) bool {
	marks, err := d.Glob("/var/lib/rocec/txn-*/state.*")
	h := holds{}
	for _, m := range marks {
		if h.mark = strings.TrimPrefix(path.Ext(m), "."); h.open() {
			return err == nil
		}
	}
	return false
}

// processes returns the processes of busy that run now.
func processes(busy []string) []string {
	return slices.DeleteFunc(slices.Clone(busy), func(b string) bool { return !strings.HasPrefix(b, "process ") })
}

// side is a complete content of a device.
type side struct {
	files  map[string]string
	loaded string
	live   []string // any of these settings; empty: there is no NIC
	dcbx   string
}

// sideOf returns the content that a device has and uses.
func sideOf(h *holds) *side {
	s := &side{files: h.files, loaded: h.loaded, dcbx: h.dcbx}
	if h.live != "" {
		s.live = []string{h.live}
	}
	return s
}

// reference is the result of an apply without a fault on a device of a kind.
type reference struct {
	kind     *nspawn.Kind
	options  nspawn.Options
	paths    []string // paths of its files
	edited   string   // the file that another user edits, and the content after the edit
	edit     []byte
	old, new side
	over     side     // the new content over that edit, whose lines rocec does not manage
	moments  []moment // of apply
	writes   int      // commands recorded in its journal

	read     []*readTwice // output of a live read, and of a read from a snapshot
	stranger *ran         // output of a collect with an unknown host key
}

// moment is a command of rocec on a device, with the verb that runs it.
type moment struct {
	nspawn.Command
	verb    string
	checked bool // the command is after the last comparison of the files
	kept    bool // the command is after the confirm, so another run may begin
}

var (
	runNames = regexp.MustCompile(`[0-9]{8}t[0-9]{6}z-[0-9a-f]{4}`)
	fsync    = regexp.MustCompile(`(?s)-c import os, sys.*os\.close\(fd\)`)
)

// String returns the command in one line, without the name of the run.
func (m moment) String() string {
	return runNames.ReplaceAllString(fsync.ReplaceAllString(m.Command.String(), "fsync"), "RUN")
}

// is reports whether the device has all files of a side.
func (h *holds) is(s *side) bool { return maps.Equal(h.files, s.files) }

// uses reports whether the device uses a side.
func (h *holds) uses(s *side) bool {
	return h.loaded == s.loaded && (len(s.live) == 0 || slices.Contains(s.live, h.live))
}

// unlike describes content that the device uses and that differs from the side.
func (h *holds) unlike(s *side) string {
	var b strings.Builder
	for i, live := range s.live {
		for line := range strings.Lines(h.live) {
			if !strings.Contains(live, line) {
				fmt.Fprintf(&b, "\nnot in state %d: %s", i, strings.TrimSpace(line))
			}
		}
	}
	return b.String()
}

// full returns an error if a file is neither old, new nor one of the allowed other contents.
func (r *reference) full(h *holds, others ...string) error {
	for _, p := range r.paths {
		have := h.files[p]
		if have != r.old.files[p] && have != r.new.files[p] && !slices.Contains(others, have) {
			return fmt.Errorf("%s holds neither content, in full (SHA-256 %s)", p, have)
		}
	}
	return nil
}
