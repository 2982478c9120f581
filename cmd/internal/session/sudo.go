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

// askSudoPassword asks for the password of sudo on the devices of a fleet, before it connects. It names the devices that will not get the
// password, as their host key is unknown, and the devices that only the fabric identifies.
func (f *Fleet) askSudoPassword() error {
	if !f.s.AskSudo {
		return nil
	}
	all := slices.Concat(f.Tree.Devices, f.beside)
	if f.s.sudo != nil { // the connections are made again
		f.s.admitSudo(all, "")
		return nil
	}
	fd, ok := person.Terminal(f.s.Stdin)
	if !ok {
		return exit.Fail(exit.Usage, "--ask-sudo-password needs a terminal, and stdin is not a terminal")
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

// admitSudo allows further devices to get the password, and prints their names.
func (s *Session) admitSudo(devices []*target.Device, why string) {
	added := s.sudo.Admit(deviceNames(devices)...)
	if len(added) > 0 && why != "" {
		fmt.Fprintf(s.Stderr, "the sudo password also goes to %s, %s\n", nodeset.Text(added, nodeset.Devices, 200), why)
	}
}

// admitOrder allows the devices to get the password that the waves of a run mark or watch. It prints the names of those that are not in
// the plan.
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

// vouchers returns the devices with an unknown host key, those whose key only the fabric has, and those whose key only ssh may know.
func vouchers(dialer *ssh.Dialer, devices []*target.Device) (lines []string) {
	by := map[ssh.Voucher][]string{}
	for _, d := range devices {
		if who, err := dialer.Voucher(d); err == nil { // otherwise the login reports its failure
			by[who] = append(by[who], d.Name)
		}
	}
	for _, c := range []struct {
		who  ssh.Voucher
		says string
	}{
		{ssh.ByNothing, "the sudo password is not sent to %s: no known_hosts has the host key, and the fabric has no host_key"},
		{ssh.ByPin, "only host_key in the fabric identifies %s, as no known_hosts does: the author of the fabric chose who gets the sudo " +
			"password"},
		{ssh.BySSH, "the sudo password is sent to %s only if the configuration of ssh has the host key, which rocec cannot check"},
	} {
		if names := by[c.who]; len(names) > 0 {
			lines = append(lines, fmt.Sprintf(c.says, nodeset.Text(names, nodeset.Devices, 200)))
		}
	}
	return lines
}
