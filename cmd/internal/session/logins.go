package session

import (
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

// logins decides how the devices of a run are reached. Others may have written the journal: with a forged address and host key it could
// send commands, and the password of sudo, to another machine. So rocec uses the logins of the run's fabric if it can be read. Otherwise
// it uses those of the journal, if they are valid in a fabric, without host keys: only known_hosts identifies a device.
func (s *Session) logins(l *journal.Log) error {
	if l.Lab != "" || l.Adopted != nil { // the lab has its logins, and an adopted run has reached its devices by their fabric
		return nil
	}
	for i := range l.Devices {
		if why := badLogin(l.Devices[i].Name, l.Devices[i].Login); why != "" {
			return changedByHand(l, why)
		}
	}
	if len(s.Vars)+len(s.VarFiles) == 0 {
		s.Vars, s.VarFiles = l.Vars, l.VarFiles
	}
	f, err := s.Load(l.Fabric)
	if err == nil && !f.Diags.HasErrors() && f.Fabric != nil && f.Fabric.Name == l.Name {
		there := map[string]journal.Login{}
		for _, d := range f.Fabric.Devices {
			there[d.Name] = journal.Login(d.SSH)
		}
		var moved []string
		for i := range l.Devices {
			d := &l.Devices[i]
			if login, ok := there[d.Name]; ok {
				if d.Login != login {
					moved = append(moved, d.Name)
				}
				d.Login = login
			} else {
				d.Login.HostKey = ""
			}
		}
		if len(moved) > 0 {
			s.Say("The login of %[2]s in the fabric in %[1]s differs from the journal of run %[3]s. Rocec uses the fabric.",
				diag.Escape(l.Fabric), diag.Escape(nodeset.Text(moved, nodeset.Devices, 200)), l.Run)
		}
		return nil
	}
	pinned := false
	for i := range l.Devices {
		pinned = pinned || l.Devices[i].Login.HostKey != ""
		l.Devices[i].Login.HostKey = ""
	}
	if pinned {
		s.Say("The fabric of run %s cannot be read as it was, in %s: rocec uses the logins of the journal, but not its host keys. "+
			"It uses those of known_hosts.", l.Run, diag.Escape(l.Fabric))
	}
	return nil
}

// changedByHand refuses a journal for a reason, which is a part of a sentence.
func changedByHand(l *journal.Log, why string) error {
	return exit.Fail(exit.Usage, "The journal of run %s was changed by hand: %s. Nothing was changed. To adopt the run from its devices "+
		"instead, move its journal away and name the fabric with -C DIR.", l.Run, why)
}

// badDevices returns why the devices of a journal cannot be those of a run; empty: they can. A device that is listed twice would be
// written by two changes at the same time.
func badDevices(l *journal.Log) string {
	there := map[string]bool{}
	for i := range l.Devices {
		d := &l.Devices[i]
		if _, problem := eval.Word.ReadText(d.Name); problem != nil {
			return "a device has a name that is invalid in a fabric"
		}
		if there[d.Name] {
			return "it has " + d.Name + " twice"
		}
		if there[d.Name] = true; d.Wave < 0 {
			return "the wave of " + d.Name + " is none"
		}
	}
	return ""
}

// badLogin returns why a login is invalid in a fabric; empty: it is valid.
func badLogin(device string, l journal.Login) string {
	for _, part := range []struct {
		what, value string
		kind        eval.Kind[string]
	}{
		{"address", l.Address, eval.Address},
		{"user", l.User, eval.Login},
		{"jump", l.Jump, eval.JumpHosts},
		{"host key", l.HostKey, eval.HostKey},
		{"transport", l.Transport, eval.OneOf("native", "openssh")},
	} {
		if part.value == "" {
			continue
		}
		if _, problem := part.kind.ReadText(part.value); problem != nil {
			return "the " + part.what + " of " + deploy.OneLine(device) + " is invalid in a fabric"
		}
	}
	if l.Port < 0 || l.Port > 65535 {
		return "the port of " + deploy.OneLine(device) + " is none"
	}
	return ""
}
