package gated

import (
	"context"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/deploy/order"
)

// putTime is the time limit of a gate that is put on a device: a few MB over a slow link.
const putTime = 2 * time.Minute

// processors maps the output of uname -m to the names of processors in releases.
var processors = map[string]string{
	"x86_64": "amd64", "aarch64": "arm64", "armv7l": "armhf", "armv6l": "armhf", "armv8l": "armhf",
}

// Put puts the gate on the device, with the keys that it takes, and the line of sudoers for the login. program returns the gate for a
// processor. It needs root. It returns the gate as it reports itself.
func Put(ctx context.Context, d *device.Device, program func(processor string) ([]byte, error), signers string) (
	*deploy.Gate, *deploy.Error,
) {
	no := func(detail string) *deploy.Error {
		return &deploy.Error{Kind: deploy.Permission, Device: d.Of, Step: "gate", Detail: deploy.OneLine(detail)}
	}
	said, err := device.Ask(ctx, d, "gate", "uname -m; id -un")
	if err != nil {
		return nil, err
	}
	uname, login, _ := strings.Cut(strings.TrimSpace(said), "\n")
	processor, known := processors[uname]
	if !known {
		return nil, no("no gate is built for its processor, " + uname)
	}
	if !validUser(login) {
		return nil, no("sudoers cannot have the name of its login: " + login)
	}
	text, e := program(processor)
	if e != nil {
		return nil, no(e.Error())
	}
	put := device.Script{
		Step: "gate", Text: scripts.PutGate(), Stdin: text, Time: putTime, Args: []string{deploy.Sum(text), strings.TrimSpace(signers), login},
	}
	if err := device.Do(ctx, d, &put); err != nil {
		return nil, err
	}
	become := ""
	if login != "root" {
		become = "sudo -n "
	}
	if said, err = device.Ask(ctx, d, "gate", become+order.Gate+" hello"); err != nil {
		return nil, err
	}
	g := deploy.ParseGate(strings.TrimPrefix(strings.TrimSpace(said), "gate "))
	if g == nil {
		return nil, no("the answer of the gate is not that of a gate")
	}
	return g, nil
}

// validUser reports whether a name of a login may be a word of sudoers: a name of Debian's adduser.
func validUser(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && name[0] != '-' &&
		(name[0] < '0' || name[0] > '9')
}

// Take takes the gate away: as root, or by its own verb with an order of [Removal].
func Take(ctx context.Context, d *device.Device, o *Orders) *deploy.Error {
	take := device.Script{Step: "gate", Text: scripts.TakeGate(), Gate: []string{"remove"}}
	if e := o.Of(d.Of.Name); e != nil {
		e.First, e.Later = 1, 1
		take.Stdin = e.Bytes()
	}
	return device.Do(ctx, d, &take)
}

// atOnce is the number of devices whose gates change at the same time.
const atOnce = 8

// Each changes the gates of devices. It returns the error of each device, in their order.
func Each(plans []*deploy.DevicePlan, change func(*deploy.DevicePlan) *deploy.Error) []*deploy.Error {
	errs := make([]*deploy.Error, len(plans))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, p := range plans {
		group.Go(func() error {
			errs[i] = change(p)
			return nil
		})
	}
	_ = group.Wait() // the errors are in errs
	return errs
}
