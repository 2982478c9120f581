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

// holds is the true state of a device, read without rocec.
type holds struct {
	files  map[string]string // by path: SHA-256, or "absent"
	loaded string            // SHA-256 of what switchd has loaded; empty: no switchd
	live   string            // the settings of the NIC; empty: no NIC
	mark   string            // of the run that came furthest; "absent": there is no run
	boot   string            // boot id
	left   []string          // files of rocec that a finished run does not leave
	dcbx   string            // who runs DCBX; dcb cannot give it back to the firmware
	busy   []string          // timers, units and processes of rocec
}

// question asks a device for its whole state; %s is the paths of files.
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
		h.mark = ended // of a run that gave its lock back
	}
	h.left = slices.Compact(slices.Sorted(slices.Values(h.left)))
	return h, nil
}

// open reports whether a run is neither kept nor undone.
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

// quiet waits until a device is at rest: its run is over or waits for a person, and no process of rocec runs there. A lasting fault may
// prevent that; then quiet returns the last state of the device.
func quiet(ctx context.Context, d *nspawn.Device, files []string) (*holds, error) {
	most := d.Slowed(2*stepTime + deadMan + 2*stepTime + 10*time.Second) // the first timer, the undo, and other short steps
	for end := time.Now().Add(most); ; {
		// The test asks the device nothing while its mark is open: a question starts some forty processes there.
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

// waits reports whether a run on a device is neither kept nor undone, by its mark alone.
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

// side is a content that a device may hold as a whole.
type side struct {
	files  map[string]string
	loaded string
	live   []string // any of these; empty: there is no NIC
	dcbx   string
}

// sideOf returns the content that a device holds and uses.
func sideOf(h *holds) *side {
	s := &side{files: h.files, loaded: h.loaded, dcbx: h.dcbx}
	if h.live != "" {
		s.live = []string{h.live}
	}
	return s
}

// reference is the result of an undisturbed apply on a device of a kind.
type reference struct {
	kind     *nspawn.Kind
	options  nspawn.Options
	paths    []string // of its files
	edited   string   // the one that another user edits, and their content
	edit     []byte
	old, new side
	over     side     // the new content over that edit, lines of which rocec does not manage
	moments  []moment // of apply
	writes   int      // of its journal

	read     []*readTwice // live and by a snapshot
	stranger *ran         // a collect that meets a host key which nobody has accepted
}

// moment is a command of rocec on a device, and the verb it belongs to.
type moment struct {
	nspawn.Command
	verb    string
	checked bool // it comes after the last comparison of the files
	kept    bool // it comes after the confirmation: another run may begin
}

var (
	runNames = regexp.MustCompile(`[0-9]{8}t[0-9]{6}z-[0-9a-f]{4}`)
	fsync    = regexp.MustCompile(`(?s)-c import os, sys.*os\.close\(fd\)`)
)

// String returns the command in one line, whatever the run is called.
func (m moment) String() string {
	return runNames.ReplaceAllString(fsync.ReplaceAllString(m.Command.String(), "fsync"), "RUN")
}

// is reports whether the device holds a side's files, in full.
func (h *holds) is(s *side) bool { return maps.Equal(h.files, s.files) }

// uses reports whether the device uses it.
func (h *holds) uses(s *side) bool {
	return h.loaded == s.loaded && (len(s.live) == 0 || slices.Contains(s.live, h.live))
}

// unlike names the content that the device uses and the side does not have.
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

// full returns an error that names a file which is neither old, new nor one of the allowed others.
func (r *reference) full(h *holds, others ...string) error {
	for _, p := range r.paths {
		have := h.files[p]
		if have != r.old.files[p] && have != r.new.files[p] && !slices.Contains(others, have) {
			return fmt.Errorf("%s holds neither content, in full (SHA-256 %s)", p, have)
		}
	}
	return nil
}
