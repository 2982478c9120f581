//go:build linux

package nspawn

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"
)

var whole = flag.Bool("whole", false, "every fault at every command, rather than each fault once")

const (
	oldTraffic = "speed = 10\n"
	newTraffic = "speed = 100\n"
	change     = "set -e; cd /etc/cumulus/datapath; printf 'speed = 100\\n' >.new; " +
		"sync .new; mv .new traffic.conf; sync .; systemctl restart switchd"
)

// cellsOf returns the cells of a script that changes a switch. The script promises that the file is old or new, and that a booted switch
// uses the file.
func cellsOf(t *testing.T, command, script string) []Cell {
	o := Options{Files: map[string]string{traffic: oldTraffic}}
	apply := func(ctx context.Context, d *Device) error { return login(ctx, d, "root", script).Run() }
	steps := Steps(t, Switch43, o, func(d *Device) error { return apply(t.Context(), d) })
	var cells []Cell
	for _, inject := range Injections(traffic, []byte("speed = 7\n")) {
		for _, step := range steps {
			for _, when := range []When{Before, After} {
				run := func(ctx context.Context, d *Device) (string, error) {
					ctx, cancel := context.WithCancel(ctx)
					defer cancel()
					_, err := d.Strike(step.N, when, func(d *Device) Fault {
						defer cancel() // a device that was switched off does not answer
						return inject.Do(d)
					}, func() error { return apply(ctx, d) })
					if err != nil {
						return "", err
					}
					if inject.Undo != nil {
						if err := inject.Undo(d); err != nil {
							return "", err
						}
					}
					if err := d.Reboot().Fired(); err != nil {
						return "", err
					}
					if !loaded(t, d) {
						return "", errors.New("the switch runs with something else")
					}
					file, err := d.ReadFile(traffic)
					if err != nil {
						return "", err
					}
					for end, content := range map[string]string{"old": oldTraffic, "new": newTraffic, "edited": "speed = 7\n"} {
						if string(file) == content {
							return end, nil
						}
					}
					return "", fmt.Errorf("the file holds %q", file)
				}
				cells = append(cells, Cell{
					Command: command, Fault: inject.Name, At: fmt.Sprintf("%s %s", when, step), Kind: Switch43, Options: o, Run: run,
				})
			}
		}
	}
	return cells
}

// A script with all syncs keeps the promise under every fault. A script without one of the syncs breaks it, and the matrix detects that.
func TestMatrix(t *testing.T) {
	t.Parallel()
	image := Image(t)
	begin := time.Now()
	cells := cellsOf(t, "change", change)
	require.Len(t, cells, len(Injections("", nil))*2*4, "sync, mv, sync and systemctl")
	most := 1
	if *whole {
		most = len(cells)
	}
	table := Matrix(t, semaphore.NewWeighted(4), Sample(cells, most))
	t.Logf("%d cells in %s", len(table), time.Since(begin).Round(time.Millisecond))
	for _, r := range table {
		assert.NotEmpty(t, r.End, r.At)
	}

	var late []Cell
	for _, c := range cellsOf(t, "without sync", strings.Replace(change, "sync .new; ", "", 1)) {
		if c.Fault == "power cut, data lost" && strings.HasPrefix(c.At, "after 1: mv ") {
			late = append(late, c)
		}
	}
	require.Len(t, late, 1)
	table = runCells(t.Context(), image, semaphore.NewWeighted(1), late)
	require.ErrorContains(t, table[0].Err, `the file holds ""`)
	require.ErrorContains(t, table[0].Err, "1: mv .new traffic.conf")
}

// A cell fails if its command never comes. A cell that does not end by itself is ended.
func TestMatrixEnds(t *testing.T) {
	t.Parallel()
	image := Image(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	table := runCells(ctx, image, semaphore.NewWeighted(1), []Cell{ // one after the other, because the second cell ends all of them
		{Command: "nothing", Kind: Switch43, Run: func(_ context.Context, d *Device) (string, error) {
			_, err := d.Strike(3, Before, (*Device).FillDisk, func() error {
				_, err := d.Exec("true")
				return err
			})
			return "old", err
		}},
		{Command: "hangs", Kind: Switch43, Run: func(ctx context.Context, d *Device) (string, error) {
			d.StopAt(1, Before)
			cmd := login(t.Context(), d, "root", "touch file")
			if err := cmd.Start(); err != nil {
				return "", err
			}
			<-d.Stopped()
			cancel()
			select {} // with any result
		}},
	})
	require.ErrorContains(t, table[0].Err, "it ended without a command 3")
	require.ErrorContains(t, table[1].Err, "it did not end: context canceled\n1: touch file")
}

func TestSample(t *testing.T) {
	t.Parallel()
	var cells []Cell
	for _, command := range []string{"apply", "rollback"} {
		for n := range 10 {
			for _, fault := range []string{"power cut", "reboot"} {
				cells = append(cells, Cell{Command: command, Fault: fault, At: fmt.Sprint(n)})
			}
		}
	}
	cells = append(cells, Cell{Command: "rollback", Fault: "sudo revoked", At: "0"})
	var at []string
	for _, c := range Sample(cells, 3) {
		at = append(at, c.Command[:1]+c.Fault[:1]+c.At)
	}
	assert.Equal(t, []string{"ap0", "ar1", "ap4", "ar9", "rp2", "rr7", "rs0"}, at)
	assert.Equal(t, cells, Sample(cells, 100))
	assert.Len(t, Sample(cells, 1), 3)
}
