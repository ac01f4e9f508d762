-- A session of Neovim with its built-in client: opens the file of NVIM_LEAN_FILE behind `stp suggest lsp`, asks for code actions where
-- the line of NVIM_LEAN_LINE ends, applies the first, and prints what it sees. Neovim 0.7 and later; no plugin.
local file, line = vim.env.NVIM_LEAN_FILE, tonumber(vim.env.NVIM_LEAN_LINE)
local command = vim.split(vim.env.NVIM_LEAN_SERVER, '\n')
local limit = 120000

local function say(text) io.stdout:write(text .. '\n') end

local function finish(code, text)
  if text then say(text) end
  for _, client in ipairs(vim.lsp.get_active_clients()) do client.stop() end
  vim.wait(5000, function() return #vim.lsp.get_active_clients() == 0 end, 50)
  vim.cmd(code == 0 and 'qall!' or 'cquit!')
end

local function errors()
  local found = vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })
  return vim.tbl_map(function(one) return (one.lnum + 1) .. ': ' .. vim.split(one.message, '\n')[1] end, found)
end

local ok, problem = pcall(function()
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  local said = {}
  vim.lsp.handlers['$/progress'] = function(_, result)
    local value = result.value
    table.insert(said, value.kind .. (value.title and (' ' .. value.title) or '') .. (value.message and (' ' .. value.message) or ''))
  end
  local id = vim.lsp.start_client({ name = 'lean', cmd = command, root_dir = vim.fn.fnamemodify(file, ':h') })
  assert(id, 'the server cannot be started')
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)
  assert(vim.wait(limit, function() return client.initialized == true end, 50), 'the server does not answer')
  assert(vim.wait(limit, function() return #errors() > 0 end, 50), 'Lean shows no error at first')
  say('errors before: ' .. vim.inspect(errors()))
  vim.api.nvim_win_set_cursor(0, { line, #vim.fn.getline(line) })
  -- The editor's own command, from the menu to the edit; the first entry is chosen.
  vim.ui.select = function(items, _, choose)
    say('code actions: ' .. vim.inspect(vim.tbl_map(function(item) return item[2].title end, items)))
    choose(items[1], 1)
  end
  vim.lsp.buf.code_action()
  local ended = function() return said[#said] == 'end' end
  assert(vim.wait(limit, ended, 50), 'the action does not end: ' .. vim.inspect(said))
  for _, text in ipairs(said) do
    if text:find('Suggest') or text:find('closes') then say('progress: ' .. text) end
  end
  say('line ' .. line .. ': ' .. vim.inspect(vim.fn.getline(line)))
  assert(vim.wait(limit, function() return #errors() == 0 end, 50), 'errors are left: ' .. vim.inspect(errors()))
  say('errors after: ' .. vim.inspect(errors()))
end)
finish(ok and 0 or 1, not ok and tostring(problem) or nil)
