package session

import (
	"context"
	"fmt"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
)

// Trust stores the new host key of the only device, after a person has confirmed it.
func (f *Fleet) Trust(ctx context.Context, fingerprint string, o *ChangeOptions) error {
	if f.Lab != nil {
		return nil // the lab has its own keys
	}
	d := f.Tree.Devices[0]
	id, err := f.Dialer.Identify(ctx, d)
	if err != nil {
		return exit.Fail(exit.Machines, "%v", err)
	}
	out := f.s.Stdout
	if o.Format == "json" {
		out = f.s.Stderr
	}
	fmt.Fprintf(out, "%s.\n", diag.Escape(id.String()))
	switch {
	case id.Known:
		return nil
	case id.Pin != "":
		return exit.Fail(exit.Errors, "the key of %s is pinned in the fabric. After you have compared the fingerprint with the device's "+
			"console, write host_key = %q into its ssh block, and run this again.", d.Name, id.Fingerprint())
	case fingerprint != "" && fingerprint != id.Fingerprint():
		return exit.Fail(exit.Machines, "the device does not show the key of --host-key. Nothing was changed.")
	case fingerprint == "" && o.Approve:
		return exit.Fail(exit.Usage, "--auto-approve does not trust a new host key; give the one read on the device's console with --host-key")
	case fingerprint == "":
		const question = "Is this the fingerprint on the device's console (ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub)?"
		if err := f.s.Ask(ctx, question, "yes"); err != nil {
			return err
		}
	}
	if err := id.Trust(); err != nil {
		return exit.Fail(exit.Machines, "the new key could not be kept: %v", err)
	}
	return nil
}
