package session

import (
	"fmt"
	"slices"

	"golang.org/x/term"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// askSudoPassword asks for the password that sudo wants on the devices of a fleet, before anything is connected. It names the devices
// that will not get it, since their host key is not known, and those for which only the fabric identifies the machine that gets it.
func (f *Fleet) askSudoPassword() error {
	if !f.s.AskSudo {
		return nil
	}
	all := slices.Concat(f.Tree.Devices, f.beside)
	if f.s.sudo != nil { // the way to them is made anew
		f.s.admitSudo(all, "")
		return nil
	}
	fd, ok := person.Terminal(f.s.Stdin)
	if !ok {
		return exit.Fail(exit.Usage, "--ask-sudo-password asks on a terminal, and stdin is none")
	}
	if f.Lab == nil {
		for _, line := range vouchers(f.Dialer, all) {
			fmt.Fprintln(f.s.Stderr, line)
		}
	}
	fmt.Fprintf(f.s.Stderr, "sudo password on %s: ", diag.Count(len(all), "device"))
	text, err := term.ReadPassword(fd)
	fmt.Fprintln(f.s.Stderr)
	if err != nil {
		return exit.Fail(exit.Interrupted, "no password; nothing was changed")
	}
	if f.s.sudo, err = device.NewSudo(string(text), deviceNames(all)...); err != nil {
		return exit.Fail(exit.Usage, "%v", err)
	}
	return nil
}

// admitSudo lets further devices have the password, and names those.
func (s *Session) admitSudo(devices []*target.Device, why string) {
	added := s.sudo.Admit(deviceNames(devices)...)
	if len(added) > 0 && why != "" {
		fmt.Fprintf(s.Stderr, "the sudo password also goes to %s, %s\n", nodeset.Text(added, nodeset.Devices, 200), why)
	}
}

// admitOrder lets the devices have the password that the waves of a run mark or watch, and names those that a plan has not.
func (s *Session) admitOrder(o *deploy.Order) {
	if o == nil {
		return
	}
	for _, w := range o.Waves {
		s.admitSudo(slices.Concat(w.Marks, w.Near), "which carry the mark of this run")
		s.admitSudo(w.Watch, "which are beside a wave of this run")
	}
}

func deviceNames(devices []*target.Device) []string {
	var names []string
	for _, d := range devices {
		names = append(names, d.Name)
	}
	return names
}

// vouchers says of which devices the host key is not known, and of which the fabric alone or ssh alone knows it.
func vouchers(dialer *ssh.Dialer, devices []*target.Device) (lines []string) {
	by := map[ssh.Voucher][]string{}
	for _, d := range devices {
		if who, err := dialer.Voucher(d); err == nil { // else the login says why it fails
			by[who] = append(by[who], d.Name)
		}
	}
	for _, c := range []struct {
		who  ssh.Voucher
		says string
	}{
		{ssh.ByNothing, "the sudo password is not sent to %s: no known_hosts knows the host key, and the fabric has no host_key"},
		{ssh.ByPin, "only host_key of the fabric vouches for %s, and no known_hosts does: who wrote the fabric chose who gets the sudo password"},
		{ssh.BySSH, "the sudo password is sent to %s only where the configuration of ssh knows the host key, which rocec cannot tell"},
	} {
		if names := by[c.who]; len(names) > 0 {
			lines = append(lines, fmt.Sprintf(c.says, nodeset.Text(names, nodeset.Devices, 200)))
		}
	}
	return lines
}
