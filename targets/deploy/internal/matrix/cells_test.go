//go:build linux

package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// traffic is the path of a switch's file.
const traffic = "/etc/cumulus/datapath/traffic.conf"

// script is the path of a host's file. The file exists before the first apply, as if an older rocec had written it.
const (
	script    = "/usr/local/sbin/rocec-host"
	oldScript = "#!/bin/sh\n# of an older rocec\n"
)

// references returns the devices of the matrix, with their files before an apply.
func references() []*reference {
	factory := "# by hand\ntraffic.packet_priority_source_set = [802.1p]\n"
	port := []nspawn.Port{{Name: "swp1", MTU: 9216}}
	return []*reference{
		{
			kind: nspawn.Switch37, options: nspawn.Options{Name: "tor1", Files: map[string]string{traffic: factory}, Ports: port},
			edited: traffic, edit: []byte(factory + "# and once more\n"),
		},
		{
			kind: nspawn.Switch43, options: nspawn.Options{Name: "tor1", Files: map[string]string{traffic: factory}, Ports: port},
			edited: traffic, edit: []byte(factory + "# and once more\n"),
		},
		{
			kind: nspawn.Host, options: nspawn.Options{
				Name: "gpu1", Files: map[string]string{script: oldScript}, Ports: []nspawn.Port{{Name: "ens1f0", MTU: 9000}},
			},
			edited: script, edit: []byte(oldScript + "# and an edit\n"),
		},
	}
}

// ready brings a booted device into its state before rocec, with a NIC that a person has set by hand.
func ready(d *nspawn.Device) error {
	if d.Kind != nspawn.Host {
		return nil
	}
	_, err := d.Exec("dcb pfc set dev ens1f0 prio-pfc 5:on")
	return err
}

// learn runs an apply without a fault, and stores the result.
func (r *reference) learn(ctx context.Context, d *nspawn.Device, bin string) error {
	r.paths = pathsOf(r.kind)
	if err := r.learnOld(d); err != nil {
		return err
	}
	o, err := newOperator(bin, d)
	if err != nil {
		return err
	}
	err = r.learnNew(ctx, d, o)
	if err == nil {
		err = r.learnSnapshot(ctx, d, o)
	}
	return errors.Join(err, o.close())
}

// pathsOf returns the paths of the files that an apply writes.
func pathsOf(k *nspawn.Kind) []string {
	if k == nspawn.Host {
		return []string{script, "/etc/systemd/system/rocec-host@.service", "/etc/udev/rules.d/99-rocec.rules", "/etc/rocec/host/ens1f0.conf"}
	}
	return []string{traffic}
}

// learnOld stores the content of a device before an apply.
func (r *reference) learnOld(d *nspawn.Device) error {
	if err := ready(d); err != nil {
		return err
	}
	h, err := look(d, r.paths)
	if err != nil {
		return err
	}
	r.old = *sideOf(h)
	if r.kind != nspawn.Host {
		return nil
	}
	if err := d.Reboot().Fired(); err != nil {
		return err
	}
	if h, err = look(d, r.paths); err != nil {
		return err
	}
	r.old.live = append(r.old.live, h.live) // the NIC forgets its settings
	return ready(d)
}

// learnNew runs an apply, and a second one over the edit of another user.
func (r *reference) learnNew(ctx context.Context, d *nspawn.Device, o *operator) error {
	apply := func() (*ran, *side, error) {
		result, err := o.run(ctx, o.apply("--soak", "0s")...)
		if err != nil {
			return nil, nil, err
		}
		if result.status != 0 {
			return nil, nil, fmt.Errorf("an apply without a fault: %s", result)
		}
		h, err := look(d, r.paths)
		if err != nil {
			return nil, nil, err
		}
		return result, sideOf(h), nil
	}
	d.StopAt(0, nspawn.Before)
	result, now, err := apply()
	if err != nil {
		return err
	}
	r.new = *now
	if r.writes, err = o.writes(); err != nil {
		return err
	}
	for _, c := range d.Commands() {
		r.moments = append(r.moments, moment{Command: c})
	}
	name(r.moments)
	f, err := result.fate()
	if err != nil {
		return err
	}
	if f == nil || f.Outcome != "applied" || maps.Equal(r.old.files, r.new.files) || len(f.Result.Files) != len(r.paths) {
		return fmt.Errorf("an apply without a fault: %s", result)
	}
	if err := d.EditFile(r.edited, r.edit, nspawn.InPlace).Fired(); err != nil {
		return err
	}
	if _, now, err = apply(); err != nil {
		return fmt.Errorf("over the edit of another user: %w", err)
	}
	r.over = *now
	return nil
}

// name sets the verb of every moment.
func name(moments []moment) {
	verb, kept, disarmed := "prepare", false, false
	for i := range moments {
		line := strings.Join(moments[i].Args, " ")
		switch {
		case strings.HasPrefix(line, "mkdir ") && strings.HasSuffix(line, "/once"):
			verb = "commit"
		case strings.HasSuffix(line, "/state.confirmed"):
			moments[i].verb, moments[i].checked = "confirm", true
			verb, kept = "confirm", true
			continue
		case verb == "confirm" && strings.HasPrefix(line, "rm ") && strings.HasSuffix(line, "/deadline"):
			if disarmed { // the release disarms again
				verb = "release"
			}
			disarmed = true
		}
		moments[i].verb, moments[i].checked, moments[i].kept = verb, kept, kept
	}
}

// cells returns the cells of apply: every fault at every command of each kind of device.
func (r *reference) cells(bin string, faults []fault) []nspawn.Cell {
	var cells []nspawn.Cell
	for i := range faults {
		for _, m := range r.moments {
			cells = append(cells, nspawn.Cell{
				Command: m.verb, Fault: faults[i].name, At: fmt.Sprintf("%s, before %s", r.kind.Name, m), Kind: r.kind, Options: r.options,
				Run: r.experiment(bin, &faults[i], m, func(ctx context.Context, c *cell) (string, error) {
					return c.strike(ctx, c.o.apply("--soak", "0s")...)
				}),
			})
		}
	}
	return cells
}

// experiment returns the Run function of a cell. It calls do with the booted device and an operator.
func (r *reference) experiment(bin string, f *fault, m moment, do func(ctx context.Context, c *cell) (string, error)) func(
	context.Context, *nspawn.Device) (string, error) {
	return func(ctx context.Context, d *nspawn.Device) (end string, err error) {
		if err := ready(d); err != nil {
			return "", err
		}
		o, err := newOperator(bin, d)
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, o.close()) }()
		return do(ctx, &cell{ref: r, d: d, o: o, fault: f, at: m})
	}
}

// strike starts rocec, injects the fault at the moment, and checks the result.
func (c *cell) strike(ctx context.Context, args ...string) (string, error) {
	said, fired, err := c.lead(ctx, func() (*under, error) { return c.o.start(ctx, args...) })
	if err != nil {
		return "", err
	}
	end, err := c.afterwards(ctx, said, fired)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, said)
	}
	return end, err
}

// report contains the report of rocec, and the state of the device at that time.
type report struct {
	*ran
	held *holds
}

// lead calls begin, waits until the device stops at the moment, and injects the fault. If begin started a rocec, lead returns its final
// report.
func (c *cell) lead(ctx context.Context, begin func() (*under, error)) (*report, fired, error) {
	c.d.StopAt(c.at.N, nspawn.Before)
	stopped := c.d.Stopped()
	u, err := begin()
	if err != nil {
		return nil, nil, err
	}
	var done <-chan struct{}
	if u != nil {
		done = u.done
	}
	select {
	case <-stopped:
	case <-done:
		return nil, nil, fmt.Errorf("it ended without a command %d\n%s", c.at.N, u.ran)
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("it did not reach a command %d", c.at.N)
	}
	fired, err := c.fault.strike(ctx, c, u)
	c.d.Release()
	if u == nil || err != nil {
		return nil, fired, err
	}
	said, err := u.wait()
	if err != nil {
		return nil, nil, err
	}
	h, err := look(c.d, c.ref.paths)
	return &report{said, h}, fired, err
}

// atRest waits until the device is at rest and has a complete content. That may take a moment, because the unit of a NIC may still be
// running.
func (c *cell) atRest(ctx context.Context) (*holds, error) {
	h, err := quiet(ctx, c.d, c.ref.paths)
	for until := time.Now().Add(c.d.Slowed(5 * time.Second)); err == nil && time.Now().Before(until); h, err = look(c.d, c.ref.paths) {
		if _, broken := c.whole(h); broken == nil {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	return h, err
}

// afterwards checks a cell after the end of rocec. If no rocec was running, it starts one to keep the change.
func (c *cell) afterwards(ctx context.Context, said *report, fired fired) (string, error) {
	rest, err := c.atRest(ctx)
	if err != nil {
		return "", err
	}
	if err := fired.Fired(); err != nil {
		return "", err
	}
	heal := func() error {
		if c.fault.heal == nil {
			return nil
		}
		return c.fault.heal(c)
	}
	if c.fault.blocks {
		if err := heal(); err != nil {
			return "", err
		}
		if rest, err = c.atRest(ctx); err != nil {
			return "", err
		}
	}
	end, err := c.whole(rest)
	if err != nil {
		return "", err
	}
	if said == nil {
		run, err := c.o.runName()
		if err != nil {
			return "", err
		}
		late, err := c.o.run(ctx, "confirm", "--format", "json", run)
		if err != nil {
			return "", err
		}
		h, err := look(c.d, c.ref.paths)
		if err != nil {
			return "", err
		}
		said = &report{late, h}
	}
	if err := c.judge(said.ran, said.held); err != nil {
		return "", err
	}
	if err := c.stands(ctx, said.ran, end); err != nil {
		return "", err
	}
	if !c.fault.blocks {
		if err := heal(); err != nil {
			return "", err
		}
	}
	return end, c.goOn(ctx)
}

// stands checks that the report of rocec still matches the final state of the device.
func (c *cell) stands(ctx context.Context, said *ran, end string) error {
	if said.status == exitKilled {
		if end == "new" && !c.back && !c.at.checked {
			return breaks(noHalfState, "the new content stays, but was not confirmed")
		}
		return c.died(ctx)
	}
	f, err := said.fate()
	if err != nil || f == nil {
		return err
	}
	want := map[string]string{"applied": "new", "restored": "old", "reverted": "old", "refused": "old", "not-started": "old"}[f.Outcome]
	if want != "" && want != end && c.edit == "" && len(c.others) == 0 {
		return breaks(trueReport, "%s, and the device ended with the %s content", f.Outcome, end)
	}
	return nil
}

// died checks that `rocec runs` lists a killed run.
func (c *cell) died(ctx context.Context) error {
	run, err := c.o.runName()
	if err != nil || run == "" {
		return err
	}
	r, err := c.o.run(ctx, "runs", "--format", "json")
	if err != nil {
		return err
	}
	var doc struct {
		Runs []struct {
			Run, Status string
			Outcomes    map[string]int
		}
	}
	if err := json.Unmarshal([]byte(r.out), &doc); err != nil {
		return err
	}
	if len(doc.Runs) == 0 {
		h, err := look(c.d, c.ref.paths)
		if err == nil && (len(h.left) > 0 || !h.is(&c.ref.old)) {
			err = breaks(trueReport, "rocec runs does not know a run that has touched a device\n%s", h)
		}
		return err
	}
	if len(doc.Runs) != 1 || doc.Runs[0].Status != "died" && !c.journalled || doc.Runs[0].Outcomes["applied"] > 0 && !c.at.kept {
		return breaks(trueReport, "rocec runs does not say that the run died\n%s", r)
	}
	return nil
}
