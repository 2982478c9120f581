package device

import (
	"context"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/deploy/order"
)

// gateTime is the time limit of a gate that is put on a device: a few MB over a slow link.
const gateTime = 2 * time.Minute

// machineNames maps what uname prints to the names of processors in releases.
var machineNames = map[string]string{
	"x86_64": "amd64", "aarch64": "arm64", "armv7l": "armhf", "armv6l": "armhf", "armv8l": "armhf",
}

// PutGate puts the gate on a device, with the keys that it takes, and the line of sudoers for the login. program returns the gate for a
// processor. It needs root. It returns the gate as it reports itself.
func PutGate(ctx context.Context, d *Device, program func(processor string) ([]byte, error), signers string) (*deploy.Gate, *deploy.Error) {
	if err := d.Connect(ctx, "gate"); err != nil {
		return nil, err
	}
	out, err := d.conn.Run(ctx, "uname -m", nil)
	if err != nil {
		return nil, runError(d.Of, "gate", err)
	}
	uname := strings.TrimSpace(string(out))
	processor, known := machineNames[uname]
	if !known {
		return nil, noGate(d, "no gate is built for its processor, "+deploy.OneLine(uname))
	}
	text, err := program(processor)
	if err != nil {
		return nil, noGate(d, deploy.OneLine(err.Error()))
	}
	user, err := d.conn.Run(ctx, "id -un", nil)
	if err != nil {
		return nil, runError(d.Of, "gate", err)
	}
	login := strings.TrimSpace(string(user))
	if !validUser(login) {
		return nil, noGate(d, "its login has a name that sudoers cannot have: "+deploy.OneLine(login))
	}
	signers = strings.TrimSpace(signers)
	if _, err := d.verb(ctx, "gate", "", scripts.PutGate(), text, gateTime, nil, deploy.Sum(text), signers, login); err != nil {
		return nil, err
	}
	if login == "root" {
		out, err = d.conn.Run(ctx, order.Gate+" hello", nil)
	} else {
		out, err = d.conn.Run(ctx, "sudo -n "+order.Gate+" hello", nil)
	}
	if err != nil {
		return nil, runError(d.Of, "gate", err)
	}
	g := parseGate(strings.TrimPrefix(strings.TrimSpace(string(out)), "gate "))
	if g == nil {
		return nil, noGate(d, "the gate answers with something else")
	}
	return g, nil
}

func noGate(d *Device, detail string) *deploy.Error {
	return &deploy.Error{Kind: deploy.Permission, Device: d.Of, Step: "gate", Detail: detail}
}

// validUser reports whether a name of a login may be a word of sudoers: a name of Debian's adduser.
func validUser(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && name[0] != '-' &&
		(name[0] < '0' || name[0] > '9')
}

// TakeGate takes the gate of a device away: by its own verb with a signed order, or as root.
func TakeGate(ctx context.Context, d *Device, run deploy.Run) *deploy.Error {
	if err := d.Connect(ctx, "gate"); err != nil {
		return err
	}
	var stdin []byte
	if e := d.Orders.envelope(d.Of.Name); e != nil {
		e.Owner, e.First, e.Later = run.Owner, 1, 1
		stdin = e.Bytes()
	}
	_, err := d.verb(ctx, "gate", byGate("remove"), scripts.TakeGate(), stdin, 0, nil)
	return err
}
