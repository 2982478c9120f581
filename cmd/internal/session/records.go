package session

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/record"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// Records asks the devices of the fleet for what they keep about runs, in the order of the tree.
func (f *Fleet) Records(ctx context.Context) []record.Answer {
	out := make([]record.Answer, len(f.Tree.Devices))
	f.s.admitSudo(f.Tree.Devices, "which keep records of runs")
	var all sync.WaitGroup
	slots := make(chan struct{}, rollout.ReadAtOnce)
	for i, d := range f.Tree.Devices {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			dev := device.New(d, f.Dial, f.s.sudo, f.s.clock)
			defer dev.Close()
			out[i].Device = d.Name
			if out[i].Err = dev.Connect(ctx, ""); out[i].Err == nil {
				out[i].Records, out[i].Err = device.Records(ctx, dev)
			}
		})
	}
	all.Wait()
	return out
}

// CheckOptions are the flags of a check of runs.
type CheckOptions struct {
	Format  string
	Devices bool    // compare with the records of the devices of the fabric
	Lab     LabFlag // these are simulated
}

// checked checks the journals of all runs, and reads that of one; empty: none is named.
func checked(s *Session, name string) (found *record.Runs, one *journal.Log, err error) {
	if name != "" {
		if one, err = s.ReadRun(name); err != nil {
			return nil, nil, err
		}
	}
	dir, err := s.Journals()
	if err != nil {
		return nil, nil, err
	}
	r, err := Rights(s, false)
	if err != nil {
		return nil, nil, err
	}
	signers, _, err := r.Signers()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, exit.Fail(exit.Machines, "%v", err)
	}
	if found, err = record.Check(dir, signers, r.MustSign(), s.clock.Now()); err != nil {
		return nil, nil, exit.Fail(exit.Machines, "the journals of runs cannot be read: %v", err)
	}
	return found, one, nil
}

// CheckRuns checks the journals of runs, and exits 1 where one is not as it was written.
func CheckRuns(ctx context.Context, s *Session, name string, o CheckOptions) (err error) {
	found, one, err := checked(s, name)
	if err != nil {
		return err
	}
	if o.Devices {
		_, fleet, err := s.Open(s.Here(), nil, o.Lab)
		if err != nil {
			return err
		}
		found.Compare(fleet.Records(ctx), s.Owner())
		fleet.Close(&err)
		if err != nil {
			return err
		}
	}
	if one != nil {
		found.Only(one.Run)
	}
	if o.Format == "json" {
		err = s.WriteJSON(found)
	} else {
		s.Screen().CheckedRuns(found)
	}
	if err == nil && !found.Good() {
		err = exit.With(exit.Errors)
	}
	return err
}

// WriteRecord writes the record of a run for a change board.
func WriteRecord(s *Session, name string) error {
	found, l, err := checked(s, name)
	if err != nil {
		return err
	}
	found.Only(l.Run)
	dir, err := s.Journals()
	if err != nil {
		return err
	}
	record.Markdown(s.Stdout, l, view.OutcomesText(view.RunJSON(l, false, s.clock.Now())), &found.Checked[0],
		func(sum string) ([]byte, error) { return dir.Before(l.Run, sum) })
	return nil
}
