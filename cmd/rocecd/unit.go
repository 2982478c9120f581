package main

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/person"
)

//go:embed rocecd.service
var unitText string

func unitCommand(p *person.Person) *cobra.Command {
	return &cobra.Command{
		Use:   "unit",
		Short: "print a unit of systemd",
		Long: "Unit prints the unit by which systemd runs rocecd as a user without rights. The process writes only to its state, and the first " +
			"lines of the unit state how to install it.",
		Example: "  rocecd unit | sudo tee /etc/systemd/system/rocecd.service",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(p.Stdout, unitText)
			return err
		},
	}
}
