package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
)

// GateFiles returns the function that reads the gate for a processor: rocec-txn-amd64, -arm64 or -armhf. They are in the folder, in that of
// rocec, or in lib/rocec beside that one.
func GateFiles(folder string) func(processor string) ([]byte, error) {
	folders := []string{folder}
	if folder == "" {
		self, err := os.Executable()
		if err != nil {
			return func(string) ([]byte, error) { return nil, err }
		}
		folders = []string{filepath.Dir(self), filepath.Join(filepath.Dir(self), "..", "lib", "rocec")}
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

// PutGate puts the gate on a device, with the signers of this machine, and notes it in the plan of the device.
func (f *Fleet) PutGate(ctx context.Context, p *deploy.DevicePlan, program func(string) ([]byte, error)) *deploy.Error {
	signers, err := signersText(f.s)
	if err != nil {
		return &deploy.Error{Kind: deploy.Permission, Device: p.Device, Step: "gate", Detail: deploy.OneLine(err.Error())}
	}
	d := f.alone(p)
	defer d.Close()
	gate, no := device.PutGate(ctx, d, program, signers)
	if no == nil {
		p.Gate = gate
	}
	return no
}

// putGates puts the gate on the devices of a plan that change and have no gate. After the first failure it stops.
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

// TakeGates takes the gates of devices away. Where a login is not root, the gates do it by an order, which the person signs once.
func (f *Fleet) TakeGates(ctx context.Context, plans []*deploy.DevicePlan) (func(*deploy.DevicePlan) *deploy.Error, error) {
	run := f.s.NewRun()
	var o *device.Orders
	if slices.ContainsFunc(plans, func(p *deploy.DevicePlan) bool { return p.Device.Login.User != "root" }) {
		o = device.RemovalOf(run, f.s.clock.Now().Add(orderTime), plans)
		if err := signOrders(ctx, f.s, o, false); err != nil {
			return nil, err
		}
	}
	return func(p *deploy.DevicePlan) *deploy.Error {
		d := f.alone(p)
		defer d.Close()
		d.Orders = o
		return device.TakeGate(ctx, d, run)
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
	_, name, err := r.Signers()
	if err != nil {
		return "", exit.Fail(exit.Usage, "a gate takes the signatures of keys in %s: %v", diag.Escape(name), err)
	}
	text, err := os.ReadFile(name)
	return string(text), err
}
