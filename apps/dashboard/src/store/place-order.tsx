import { Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { announce } from '../components/announcer.js';
import { Dialog } from '../components/dialog.js';
import { ActionForm } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { TextLink } from '../components/page.js';
import { strings } from '../strings.js';
import { type Animal, availableAnimalsQuery, invalidateOrders, toWireInteger } from './store.queries.js';

const text = strings.orders;

interface PlaceOrderProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function PlaceOrder({ opened, onClose }: PlaceOrderProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={text.add}>
      <PlaceOrderContent onClose={onClose} />
    </Dialog>
  );
}

function PlaceOrderContent({ onClose }: Pick<PlaceOrderProps, 'onClose'>) {
  const animals = useQuery(availableAnimalsQuery);
  return (
    <Loaded query={animals}>
      {(list) =>
        list.length === 0 ? (
          <>
            <Text mb="sm">{text.noneAvailable}</Text>
            <TextLink to="/animals">{text.toAnimals}</TextLink>
          </>
        ) : (
          <PlaceOrderForm animals={list} onClose={onClose} />
        )
      }
    </Loaded>
  );
}

interface PlaceOrderFormProps {
  readonly animals: readonly Animal[];
  readonly onClose: () => void;
}

function PlaceOrderForm({ animals, onClose }: PlaceOrderFormProps) {
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<Animal | null>(null);
  const [quantity, setQuantity] = useState('1');
  const [isMissing, setMissing] = useState(false);
  const place = useMutation({
    mutationFn: ({ id }: Animal) =>
      dataOf(api().POST('/v1/store/orders', { body: { petId: toWireInteger(id), quantity: Number(quantity) } })),
    onSuccess: async ({ id }) => {
      announce(text.placed(String(id)));
      onClose();
      await invalidateOrders(queryClient);
    },
  });
  const submit = () => {
    setMissing(chosen === null);
    if (chosen !== null) place.mutate(chosen);
  };
  const { texts, isAtField } = fieldErrorsOf(place.error, ['petId', 'quantity']);
  return (
    <ActionForm label={text.add} action={place} onSubmit={submit} isErrorAtField={isAtField}>
      <AnimalPicker
        animals={animals}
        chosen={chosen}
        onChoose={setChosen}
        error={isMissing ? text.needsAnimal : texts.petId}
      />
      <TextInput
        label={text.quantity}
        value={quantity}
        onChange={(event) => setQuantity(event.currentTarget.value)}
        inputMode="numeric"
        error={texts.quantity}
        required
      />
    </ActionForm>
  );
}

const MAX_SHOWN = 8;

interface AnimalPickerProps {
  readonly animals: readonly Animal[];
  readonly chosen: Animal | null;
  readonly onChoose: (animal: Animal | null) => void;
  readonly error: string | undefined;
}

/** Chooses an animal by its name or ID: a combobox with a list, as the ARIA Authoring Practices describe it. */
function AnimalPicker({ animals, chosen, onChoose, error }: AnimalPickerProps) {
  const id = useId();
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const found = matching(animals, search).slice(0, MAX_SHOWN);
  const choose = (animal: Animal | undefined) => {
    if (animal === undefined) return;
    onChoose(animal);
    setSearch(labelOf(animal));
    setOpen(false);
  };
  const type = (text: string) => {
    onChoose(null);
    setSearch(text);
    setActive(0);
    setOpen(true);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive(isOpen ? (active + step + found.length) % Math.max(1, found.length) : 0);
      setOpen(true);
    } else if (event.key === 'Enter' && isOpen && chosen === null) {
      event.preventDefault();
      choose(found[active]);
    } else if (event.key === 'Escape' && isOpen) {
      // The first Escape closes the list, and not the dialog.
      event.stopPropagation();
      event.nativeEvent.stopImmediatePropagation();
      setOpen(false);
    }
  };
  const isShown = isOpen && chosen === null;
  return (
    <div className="picker" onBlur={() => setOpen(false)}>
      <TextInput
        label={strings.orders.animal}
        description={strings.orders.animalHint}
        value={search}
        onChange={(event) => type(event.currentTarget.value)}
        onFocus={() => setOpen(true)}
        onKeyDown={press}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-activedescendant={isShown && found.length > 0 ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        error={error}
        required
        // The focus trap of the dialog runs once, before the animals are there.
        autoFocus
      />
      <ul id={`${id}-list`} role="listbox" aria-label={strings.animals.title} className="picker-list" hidden={!isShown}>
        {found.map((animal, index) => (
          <li
            key={String(animal.id)}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            // Keeps the focus in the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(animal)}
          >
            {labelOf(animal)}
          </li>
        ))}
      </ul>
      {isShown && found.length === 0 && <p className="muted">{strings.orders.noAnimalFound}</p>}
    </div>
  );
}

function labelOf({ id, name }: Animal): string {
  return `${name} (${String(id)})`;
}

function matching(animals: readonly Animal[], search: string): readonly Animal[] {
  const wanted = search.trim().toLowerCase();
  return animals.filter((animal) => labelOf(animal).toLowerCase().includes(wanted));
}
