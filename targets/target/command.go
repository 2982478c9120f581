package target

import "github.com/rocec/rocec/lang/diag"

// LoginCommand returns the ssh command line with which a person logs in at a name and port. jumps are jump hosts, user@host:port.
func LoginCommand(user, name, port, jumps string) string {
	var words []diag.Word
	if jumps != "" {
		words = append(words, diag.Flag("-J", diag.Arg("HOST", jumps)))
	}
	if port != "22" {
		words = append(words, diag.Flag("-p", diag.Arg("PORT", port)))
	}
	return diag.Command("ssh", append(words, diag.Arg("HOST", user+"@"+name))...)
}

// ForgetKeyCommand returns the command that deletes the host keys of a name from known_hosts.
func ForgetKeyCommand(name string) string {
	return diag.Command("ssh-keygen", diag.Flag("-R", diag.Arg("HOST", name)))
}

// ResetLabCommand returns the command that recreates the devices of a kept lab.
func ResetLabCommand(dir string) string {
	return diag.Rocec("lab reset", diag.Flag("--lab=", diag.Path("DIR", dir)))
}
