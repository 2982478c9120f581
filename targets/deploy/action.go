package deploy

// Action is done to a file or a setting, or by an effect to traffic. JSON has its text, and the screen its [Action.Symbol].
type Action string

// The actions. Activate is for a file that has the wanted content but may not be in use: the apply that wrote it did not end.
const (
	Create   Action = "create"
	Update   Action = "update"
	Delete   Action = "delete"
	Activate Action = "activate"
)

// Symbol returns the one-character form of an action.
func (a Action) Symbol() rune {
	return map[Action]rune{Create: '+', Update: '~', Delete: '-', Activate: '!'}[a]
}
