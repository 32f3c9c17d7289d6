// Argo-lua runs a Lua script on an object as Argo CD does: in the same interpreter, with the same few libraries, for at
// most a second. It reads {"script", "object"} from standard input and writes what the script returns, as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"
	luajson "layeh.com/gopher-json"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var input struct {
		Script string
		Object any
	}
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		return err
	}
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	state.SetContext(ctx)
	openLibraries(state)
	state.SetGlobal("obj", luajson.DecodeValue(state, input.Object))
	if err := state.DoString(input.Script); err != nil {
		return err
	}
	returned := state.Get(-1)
	if returned.Type() != lua.LTTable {
		return fmt.Errorf("the script returns a %s, and Argo CD wants a table", returned.Type())
	}
	output, err := luajson.Encode(returned)
	if err != nil {
		return err
	}
	fmt.Println(string(output))
	return nil
}

// openLibraries opens the libraries that Argo CD opens for scripts of argocd-cm. There is no string, math or io, and no global os:
// require("os") returns only time and date.
func openLibraries(state *lua.LState) {
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{
		{lua.LoadLibName, lua.OpenPackage},
		{lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable},
		{lua.OsLibName, lua.OpenOs},
	} {
		state.Push(state.NewFunction(library.open))
		state.Push(lua.LString(library.name))
		state.Call(1, 0)
	}
	os := state.GetGlobal(lua.OsLibName)
	safe := state.NewTable()
	for _, name := range []string{"time", "date"} {
		state.SetField(safe, name, state.GetField(os, name))
	}
	state.SetGlobal(lua.OsLibName, lua.LNil)
	state.SetField(state.GetField(state.GetGlobal(lua.LoadLibName), "loaded"), lua.OsLibName, safe)
}
