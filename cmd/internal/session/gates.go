package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/gated"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// GateFiles returns the function that reads the gate for a processor: rocec-txn-amd64, -arm64 or -armhf. They are in the folder, or where a
// release has them beside rocec.
func GateFiles(folder string) func(processor string) ([]byte, error) {
	folders := []string{folder}
	if folder == "" {
		self, err := os.Executable()
		if err != nil {
			return func(string) ([]byte, error) { return nil, err }
		}
		folders = gateFolders(filepath.Dir(self))
	}
	return func(processor string) ([]byte, error) {
		name := "rocec-txn-" + processor
		for _, f := range folders {
			file, err := safefile.Open(filepath.Join(f, name)) // who could write it would be root on the devices
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			defer file.Close()
			return io.ReadAll(file)
		}
		return nil, fmt.Errorf("there is no %s in %s: name its folder with --gates", name, diag.Or(folders))
	}
}

// EachGate changes the gates of devices, some at a time. It returns the error of each device, in their order.
func EachGate(plans []*deploy.DevicePlan, change func(*deploy.DevicePlan) *deploy.Error) []*deploy.Error {
	return gated.Each(plans, change)
}

// gateFolders returns the folders that may have gates: that of rocec, lib/rocec in it (an archive), and lib/rocec beside it (a package).
func gateFolders(of string) []string {
	lib := filepath.Join("lib", "rocec")
	return []string{of, filepath.Join(of, lib), filepath.Join(of, "..", lib)}
}

// PutGate puts the gate on a device, with the signers of this machine, and notes it in the plan of the device.
func (f *Fleet) PutGate(ctx context.Context, p *deploy.DevicePlan, program func(string) ([]byte, error)) *deploy.Error {
	signers, err := signersText(f.s)
	if err != nil {
		return &deploy.Error{Kind: deploy.Permission, Device: p.Device, Step: "gate", Detail: deploy.OneLine(err.Error())}
	}
	d := f.alone(p)
	defer d.Close()
	gate, no := gated.Put(ctx, d, program, signers)
	if no == nil {
		p.Gate = gate
	}
	return no
}

// putGates puts the gate on the devices of a plan that change and lack one. After the first failure it stops.
func (f *Fleet) putGates(ctx context.Context, plan *deploy.Plan, folder string) error {
	for _, p := range plan.Devices {
		if p.Gate != nil || p.Status != deploy.StatusChange {
			continue
		}
		if no := f.PutGate(ctx, p, GateFiles(folder)); no != nil {
			return exit.Fail(exit.Machines, "no gate could be installed, so nothing else was changed. %s", no.Error())
		}
		f.s.Say("%s: gate %s installed", p.Device.Name, p.Gate.Release)
	}
	return nil
}

// TakeGates takes the gates of devices away. Where the login is not root, their gates do it by an order, which the person signs once.
func (f *Fleet) TakeGates(ctx context.Context, plans []*deploy.DevicePlan) (func(*deploy.DevicePlan) *deploy.Error, error) {
	run := f.s.NewRun()
	var asked []*deploy.DevicePlan
	for _, p := range plans {
		if p.Device.Login.User != "root" {
			asked = append(asked, p)
		}
	}
	o := gated.Removal(run, orderEnd(f.s.clock.Now(), nil), asked)
	if o != nil {
		if err := signOrders(ctx, f.s, o, false); err != nil {
			return nil, err
		}
	}
	return func(p *deploy.DevicePlan) *deploy.Error {
		d := f.alone(p)
		defer d.Close()
		return gated.Take(ctx, d, o)
	}, nil
}

// alone returns a connection of its own to the device of a plan, which answers with the same host key as before.
func (f *Fleet) alone(p *deploy.DevicePlan) *device.Device {
	d := device.New(p.Device, f.Dial, f.s.sudo, f.s.clock)
	d.Expect(p.HostKey)
	return d
}

// signersText returns the text of the allowed signers of this machine.
func signersText(s *Session) (string, error) {
	r, err := Rights(s, false)
	if err != nil {
		return "", err
	}
	text, name, err := r.SignersText()
	if err != nil {
		return "", exit.Fail(exit.Usage, "a gate takes the signatures of keys in %s: %v", diag.Escape(name), err)
	}
	return string(text), nil
}
