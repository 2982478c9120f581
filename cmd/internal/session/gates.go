package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
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
			text, err := os.ReadFile(filepath.Join(f, name))
			if err == nil || !os.IsNotExist(err) {
				return text, err
			}
		}
		return nil, fmt.Errorf("there is no %s in %s: name its folder with --gates", name, filepath.Clean(folders[0]))
	}
}

// gateFolders returns the folders that may have gates: that of rocec, lib/rocec in it (an archive), and lib/rocec beside it (a package).
func gateFolders(of string) []string {
	lib := filepath.Join("lib", "rocec")
	return []string{of, filepath.Join(of, lib), filepath.Join(of, "..", lib)}
}

// PutGate puts the gate on a device, with the signers of this machine, and notes it in the plan of the device.
func (f *Fleet) PutGate(ctx context.Context, p *deploy.DevicePlan, program func(string) ([]byte, error)) *deploy.Error {
	signers, err := f.s.signersText()
	if err != nil {
		return &deploy.Error{Kind: deploy.Permission, Device: p.Device, Step: "gate", Detail: deploy.OneLine(err.Error())}
	}
	d := f.alone(p)
	defer d.Close()
	gate, no := d.PutGate(ctx, program, signers)
	if no == nil {
		p.Gate = gate
	}
	return no
}

// putGates puts the gate on the devices of a plan that change and have none. After the first failure it stops.
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
	o := device.RemovalOf(run, f.s.clock.Now().Add(orderTime), asked)
	if o != nil {
		if err := f.s.sign(ctx, o, false); err != nil {
			return nil, err
		}
	}
	return func(p *deploy.DevicePlan) *deploy.Error {
		d := f.alone(p)
		defer d.Close()
		d.Orders = o
		return d.TakeGate(ctx, run)
	}, nil
}

// alone returns a connection of its own to the device of a plan, which answers with the same host key as before.
func (f *Fleet) alone(p *deploy.DevicePlan) *device.Device {
	d := device.New(p.Device, f.Dial, f.s.sudo, f.s.clock)
	d.Expect(p.HostKey)
	return d
}

// signersText returns the text of the allowed signers of this machine.
func (s *Session) signersText() (string, error) {
	r, err := Rights(s, false)
	if err != nil {
		return "", err
	}
	_, name, err := r.Signers()
	if err != nil {
		return "", exit.Fail(exit.Usage, "a gate takes the signatures of keys in %s: %v", diag.Escape(name), err)
	}
	text, err := os.ReadFile(name)
	return string(text), err
}
